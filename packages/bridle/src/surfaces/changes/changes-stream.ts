// The changes of a tenant as server-sent events, for programs that have no WebSocket at hand.
import { RESTART_RETRY_MS, STREAM_HEARTBEAT_MS, STREAM_RETRY_MS } from '../http/limits.ts'
import type { ChangeReaders } from '../http/streams/change-readers.ts'
import { type EventSink, type EventStreamOptions, streamResponse } from '../http/streams/sse.ts'
import { BoundedReader } from './bounded-reader.ts'
import { READY_MESSAGES } from './change-messages.ts'
import type { ChangesConnection } from './changes-socket.ts'

export interface ChangesStreamOptions
  extends ChangesConnection,
    Pick<EventStreamOptions, 'heartbeatMs' | 'retryMs' | 'endAfterMs'> {
  readonly changes: ChangeReaders
}

/** A response that lasts until the reader leaves. It has no ids: a reader that comes back begins with `ready`. */
export const changesStream = ({
  tenant,
  viewer,
  changes,
  heartbeatMs = STREAM_HEARTBEAT_MS,
  retryMs = STREAM_RETRY_MS,
  endAfterMs,
}: ChangesStreamOptions): Response =>
  streamResponse((sink: EventSink) => {
    // The first bytes go out at once, so that proxies and clients see an open stream; a cut reader reconnects after `retry`.
    sink.write(`: open\n\nretry: ${retryMs}\n\n`)
    const reader = new BoundedReader(viewer, {
      send: (messages) => sink.write(framesOf(messages)),
      buffered: () => sink.unsentBytes(),
      drained: () => sink.drained(),
      close: () => end(RESTART_RETRY_MS),
    })
    const beat = setInterval(() => {
      if (!reader.isBehind) sink.write(': beat\n\n')
    }, heartbeatMs)
    const timer = endAfterMs === undefined ? undefined : setTimeout(() => end(), endAfterMs)
    const leaveFeed = changes.add(tenant, reader)
    const leave = () => {
      clearInterval(beat)
      clearTimeout(timer)
      reader.stop()
      leaveFeed()
    }
    const end = (nextRetryMs?: number) => {
      const isBehind = reader.isBehind
      leave()
      // A reader that takes nothing would never come to the end of the stream.
      if (isBehind) return sink.disconnect()
      if (nextRetryMs !== undefined) sink.write(`retry: ${nextRetryMs}\n\n`)
      sink.end()
    }
    reader.send(READY_MESSAGES)
    return leave
  })

const framesOf = (messages: readonly string[]): string => messages.map((message) => `data: ${message}\n\n`).join('')
