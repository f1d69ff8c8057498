// Streaming profile: directives while the run works, then the message that a plain request gets.

import type { Listener } from '@bridle/kernel/session/subscribers'
import type { RequestMessage, ResponseMessage } from '@bridle/wire/openharness/wire'
import type { AppPorts } from '../app.ts'
import type { Denial } from '../http/denials/denial.ts'
import { RESTART_RETRY_MS } from '../http/limits.ts'
import { beginStream, parseStreamCursor, streamResponse, streamTimings } from '../http/streams/sse.ts'
import { invalidField } from './errors.ts'
import { PartialAnswer, type PartialSource, type StreamCursor } from './partial-answer.ts'
import { type RunAnswer, watchRunAnswer } from './run-watch.ts'

/** Null if the request does not ask for a stream. */
export const streamCursorOf = (request: Request, { capabilities }: RequestMessage): StreamCursor | null | Denial => {
  const isCapable = capabilities?.['openharness.streaming']
  const isAccepted = /\btext\/event-stream\b/i.test(request.headers.get('accept') ?? '')
  if (!isCapable || !isAccepted) return null
  const cursor = parseStreamCursor(request.headers.get('last-event-id'), undefined)
  if (cursor === undefined) return invalidField('last-event-id', 'Send the id of a frame of this stream.')
  return { position: cursor }
}

export interface TurnStream extends PartialSource {
  readonly since: number
  readonly headers: Headers
  readonly finish: (answer: RunAnswer) => Promise<ResponseMessage>
}

/** The run continues if its reader leaves. Without a final frame the stream is incomplete, and the reader retries. */
export const turnStream = (ports: AppPorts, stream: TurnStream): Response => {
  const { session, place, since } = stream
  const response = streamResponse((sink) => {
    const partials = new PartialAnswer(stream)
    const stop = beginStream(sink, streamTimings(ports), () => {
      leave()
      sink.end()
    })
    const watch = watchRunAnswer(session, place.runId, since)
    let isOver = false
    const leave = () => {
      isOver = true
      stop()
      watch.stop()
      session.subscribers.remove(listener)
    }
    const listener: Listener = {
      audience: { key: `openharness:${streams++}`, encode: (change) => partials.encode(change) },
      send: (text) => {
        partials.confirm()
        sink.write(text)
      },
      unsent: () => sink.unsentBytes(),
      ready: () => sink.drained(),
      close: (why) => {
        if (isOver) return
        // The watch reports that the session left this process.
        if (why !== 'slow') return
        leave()
        sink.disconnect()
      },
    }
    const tell = async (answer: RunAnswer) => {
      if (isOver) return
      leave()
      if (answer.status === 'moved') {
        sink.write(`retry: ${RESTART_RETRY_MS}\n\n`)
      } else {
        const message = await stream.finish(answer)
        sink.write(partials.finalFrames(message))
      }
      sink.end()
    }
    session.subscribers.add(listener, since)
    watch.answer.then(tell).catch(() => sink.disconnect())
    return leave
  })
  for (const [name, value] of stream.headers) response.headers.set(name, value)
  return response
}

let streams = 0
