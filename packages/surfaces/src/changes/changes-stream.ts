// Changes as server-sent events, for programs without WebSocket.
import { RESTART_RETRY_MS } from '../http/limits.ts'
import type { ChangeReaders } from '../http/streams/change-readers.ts'
import { beginStream, type StreamTimes, streamResponse } from '../http/streams/sse.ts'
import { BoundedReader } from './bounded-reader.ts'
import { READY_MESSAGES } from './change-messages.ts'
import type { ChangesConnection } from './changes-socket.ts'

/** Frames have no ids: a reconnecting reader starts with `ready`. */
export const changesStream = (
  { tenant, viewer }: ChangesConnection,
  changes: ChangeReaders,
  times: StreamTimes = {},
): Response =>
  streamResponse((sink) => {
    const reader = new BoundedReader(viewer, {
      send: (messages) => sink.write(framesOf(messages)),
      buffered: () => sink.unsentBytes(),
      drained: () => sink.drained(),
      close: () => end(RESTART_RETRY_MS),
    })
    const stop = beginStream(sink, times, () => end(), { isQuiet: () => reader.isBehind })
    const leaveFeed = changes.add(tenant, reader)
    const leave = () => {
      stop()
      reader.stop()
      leaveFeed()
    }
    const end = (nextRetryMs?: number) => {
      const isBehind = reader.isBehind
      leave()
      // A reader that has stopped reading would never reach the end of the stream.
      if (isBehind) return sink.disconnect()
      if (nextRetryMs !== undefined) sink.write(`retry: ${nextRetryMs}\n\n`)
      sink.end()
    }
    reader.send(READY_MESSAGES)
    return leave
  })

const framesOf = (messages: readonly string[]): string => messages.map((message) => `data: ${message}\n\n`).join('')
