// The frames of a run as a stream, which a reader can resume after any frame.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RunRecord } from './run-record.ts'
import { sendError } from './runner-http.ts'

/** Proxies close streams that are silent for 30 or 60 seconds. */
const RUNNER_HEARTBEAT_MS = 15_000

/** Sends frames until the end. A slow reader makes only the engine wait. `left` is called when the reader has left. */
export const streamRun = (
  run: RunRecord,
  after: number,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  left: () => void = () => {},
): void => {
  if (after > run.lastFrame) return sendError(outgoing, 400, 'bad_request', 'The cursor is beyond the last frame.')
  if (run.framesAfter(after) === null)
    return sendError(outgoing, 410, 'gone', 'What comes after this cursor is no longer kept.')
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  })
  outgoing.flushHeaders()
  incoming.socket.setNoDelay(true)
  const reader = {}
  let wake = () => {}
  outgoing.once('close', () => wake())
  /** Waits for a change, or until the reader has left. Not with Promise.race, which would keep memory for every frame. */
  const wait = (change: Promise<unknown>): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
      change.then(() => resolve())
    })
  const beat = setInterval(() => outgoing.write(': still here\n\n'), RUNNER_HEARTBEAT_MS)
  const send = async () => {
    for (let at = after; !outgoing.destroyed; ) {
      const frames = run.framesAfter(at)
      if (frames === null) return
      if (frames.length === 0) {
        if (run.end) return
        await wait(run.nextChange())
        continue
      }
      at += frames.length
      const fits = outgoing.write(frames.join(''))
      if (!fits) await wait(new Promise((resolve) => outgoing.once('drain', resolve)))
      run.markRead(reader, at)
    }
  }
  run.markRead(reader, after)
  send().finally(() => {
    clearInterval(beat)
    run.removeReader(reader)
    left()
    outgoing.end()
  })
}
