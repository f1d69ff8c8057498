// Server-sent events: framing, cursors, heartbeats, and a bounded buffer per reader.
import type { AnyEvent } from '@bridle/kernel/event'
import type { Incarnations } from '@bridle/kernel/positions/incarnation'
import { type LogPosition, parseEventId, positionText } from '@bridle/kernel/positions/log-position'
import type { Audience, Listener, Subscribers } from '@bridle/kernel/session/subscribers'
import { RESTART_RETRY_MS, STREAM_HEARTBEAT_MS } from '../limits.ts'

/** A restart takes a second or two. A reader that reconnects earlier gets a proxy's 502, on which EventSource gives up. */
const STREAM_RETRY_MS = 2_000
/** A few hundred frames. Beyond it, the stream waits for its reader. */
const STREAM_BUFFER_BYTES = 64 * 1024

/** No `event:` field, so that plain `onmessage` fires. Only log events have an id, which browsers send back as their cursor. */
export const sseFrame = (data: unknown, position?: number | string): string =>
  `${position === undefined ? '' : `id: ${position}\n`}data: ${JSON.stringify(data)}\n\n`

/** `shownAs` returns the content of a frame, or null. A replayed frame is byte-identical to the live one. */
export const frameAudience = (
  key: string,
  logs: Incarnations,
  shownAs: (event: AnyEvent) => object | null,
): Audience => ({
  key,
  encode: ({ events }) => {
    let text = ''
    for (const event of events) {
      const shown = shownAs(event)
      if (shown) text += sseFrame(shown, positionText(event.seq, logs.own))
    }
    return text
  },
})

export interface EventStreamOptions {
  readonly audience: Audience
  readonly subscribers: Subscribers
  readonly since: number
  readonly opening?: string
  readonly heartbeatMs?: number
  /** Checked after each frame; true ends the stream. */
  readonly isOver?: () => boolean
  readonly retryMs?: number
  /** The stream ends after this time, and its reader resumes by id. Absent: never. */
  readonly endAfterMs?: number
  /** May call `end` at any time to stop all output. Returns a function that stops the guard. */
  readonly guard?: (end: () => void) => () => void
}

export type StreamTimes = Pick<EventStreamOptions, 'heartbeatMs' | 'retryMs' | 'endAfterMs'>

export interface EventSink {
  write(text: string): void
  unsentBytes(): number
  /** Resolves when the reader accepts more, or is gone. */
  drained(): Promise<void>
  /** Ends the stream after pending writes. */
  end(): void
  /** Ends the stream immediately and drops pending writes. */
  disconnect(): void
}

/** Returns a function to call when the reader leaves. */
export type StreamSource = (sink: EventSink) => () => void

/** Lasts until the reader leaves or falls too far behind, or the session moves. */
export const eventStream = ({
  audience,
  subscribers,
  since,
  opening,
  isOver,
  guard,
  ...times
}: EventStreamOptions): Response =>
  streamResponse((sink) => {
    const onEnd = () => {
      leave()
      // A reader that has stopped reading would never reach the end of the stream.
      reader.close(sink.unsentBytes() > STREAM_BUFFER_BYTES ? 'slow' : undefined)
    }
    const stop = beginStream(sink, times, onEnd, { ...(opening !== undefined && { opening }) })
    const reader = isOver
      ? new EndingStreamListener(audience, sink, stop, isOver, subscribers)
      : new StreamListener(audience, sink, stop)
    let unguard = () => {}
    let isEnded = false
    const leave = () => {
      unguard()
      reader.stop()
      subscribers.remove(reader)
    }
    if (guard)
      unguard = guard(() => {
        isEnded = true
        leave()
        reader.close()
      })
    if (!isEnded) subscribers.add(reader, since)
    return leave
  })

/** Sends bytes at once, so that proxies and clients see an open stream. Returns a function that stops the timers. */
export const beginStream = (
  sink: EventSink,
  { heartbeatMs = STREAM_HEARTBEAT_MS, retryMs = STREAM_RETRY_MS, endAfterMs }: StreamTimes,
  onEnd: () => void,
  { opening = '', isQuiet = () => false }: { readonly opening?: string; readonly isQuiet?: () => boolean } = {},
): (() => void) => {
  sink.write(`: open\n\nretry: ${retryMs}\n\n${opening}`)
  const beat = setInterval(() => isQuiet() || sink.write(': beat\n\n'), heartbeatMs)
  const end = endAfterMs === undefined ? undefined : setTimeout(onEnd, endAfterMs)
  return () => {
    clearInterval(beat)
    clearTimeout(end)
  }
}

export const streamResponse = (source: StreamSource): Response => {
  const response = new Response(bodyOf(source), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
  streamSources.set(response, source)
  return response
}

const streamSources = new WeakMap<Response, StreamSource>()

/** Lets a target write to the connection without going through the response's body. */
export const streamSourceOf = (response: Response): StreamSource | undefined => streamSources.get(response)

/** A class, because closures for thousands of readers would cost memory. */
class StreamListener implements Listener {
  readonly audience: Audience
  readonly stop: () => void
  readonly #sink: EventSink

  constructor(audience: Audience, sink: EventSink, stop: () => void) {
    this.audience = audience
    this.#sink = sink
    this.stop = stop
  }

  send(text: string): void {
    this.#sink.write(text)
  }

  unsent(): number {
    return this.#sink.unsentBytes()
  }

  ready(): Promise<void> {
    return this.#sink.drained()
  }

  close(why?: 'slow' | 'moved' | 'removed'): void {
    this.stop()
    if (why === 'slow') return this.#sink.disconnect()
    if (why === 'moved') this.#sink.write(`retry: ${RESTART_RETRY_MS}\n\n`)
    this.#sink.end()
  }
}

class EndingStreamListener extends StreamListener {
  readonly #isOver: () => boolean
  readonly #subscribers: Subscribers

  constructor(audience: Audience, sink: EventSink, stop: () => void, isOver: () => boolean, subscribers: Subscribers) {
    super(audience, sink, stop)
    this.#isOver = isOver
    this.#subscribers = subscribers
  }

  override send(text: string): void {
    super.send(text)
    // The subscribers are iterating, so remove this one later.
    if (this.#isOver())
      queueMicrotask(() => {
        this.#subscribers.remove(this)
        this.close()
      })
  }
}

/** Starts on the first read, so an unread body costs nothing. */
const bodyOf = (source: StreamSource): ReadableStream<Uint8Array> => {
  let leave: (() => void) | null = null
  let onPull = () => {}
  const sinkOf = (controller: ReadableStreamDefaultController<Uint8Array>): EventSink => ({
    write: (text) => controller.enqueue(bytesOf(text)),
    unsentBytes: () => -(controller.desiredSize ?? 0),
    drained: async () => {
      while (-(controller.desiredSize ?? 0) > STREAM_BUFFER_BYTES)
        await new Promise<void>((resolve) => (onPull = resolve))
    },
    end: () => controller.close(),
    disconnect: () => controller.error(new Error('Too far behind.')),
  })
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        leave ??= source(sinkOf(controller))
        onPull()
      },
      cancel() {
        leave?.()
        onPull()
      },
    },
    { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
  )
}

const encoder = new TextEncoder()
let lastText = ''
let lastBytes = new Uint8Array()
/** Readers receive the same text in turn, so encode it once. */
const bytesOf = (text: string): Uint8Array => {
  if (text !== lastText) {
    lastText = text
    lastBytes = encoder.encode(text)
  }
  return lastBytes
}

/** From `Last-Event-ID`, otherwise `?after=`. Null: none; undefined: invalid. */
export const parseStreamCursor = (
  lastEventId: string | null,
  after: string | undefined,
): LogPosition | null | undefined => {
  const cursor = lastEventId || after
  if (cursor === undefined || cursor === '') return null
  return parseEventId(cursor) ?? undefined
}

/** Streams need heartbeats even if a target disables them for sockets (0), because proxies drop silent requests. */
export const streamTimings = ({
  heartbeatMs,
  retryMs,
  streamMs,
}: {
  readonly heartbeatMs?: number
  readonly retryMs?: number
  readonly streamMs?: number
}): StreamTimes => ({
  ...(heartbeatMs && { heartbeatMs }),
  ...(retryMs !== undefined && { retryMs }),
  ...(streamMs !== undefined && { endAfterMs: streamMs }),
})
