// Server-sent events: framing, cursors, heartbeats, and a bounded buffer between a session and its reader.
import { type LogPosition, parseEventId } from '../../../kernel/positions/log-position.ts'
import type { Audience, Listener, Subscribers } from '../../../kernel/session/subscribers.ts'
import { RESTART_RETRY_MS, STREAM_BUFFER_BYTES, STREAM_HEARTBEAT_MS, STREAM_RETRY_MS } from '../limits.ts'

/** No `event:` field, so that a plain `onmessage` fires; the id is the place in the log and nothing else ever has one. */
export const sseFrame = (data: unknown, place?: number | string): string =>
  `${place === undefined ? '' : `id: ${place}\n`}data: ${JSON.stringify(data)}\n\n`

export interface EventStreamOptions {
  readonly audience: Audience
  readonly subscribers: Subscribers
  readonly since: number
  /** Sent before everything else; has no id. */
  readonly opening?: string
  readonly heartbeatMs?: number
  /** The stream ends once this holds, after what was sent. */
  readonly isOver?: () => boolean
  readonly retryMs?: number
  /** It ends by itself after this, and is resumed by id; absent = never. */
  readonly endAfterMs?: number
  /** Ends it for a reason of its own, before anything more is sent. Returns how to forget it. */
  readonly guard?: (end: () => void) => () => void
}

/** Where the text of a stream goes. */
export interface EventSink {
  write(text: string): void
  /** Bytes written but not yet taken by the reader. */
  unsentBytes(): number
  /** Resolves when it can take more, or is gone. */
  drained(): Promise<void>
  /** After all that was written. */
  end(): void
  /** Now: what waits for the reader is dropped. */
  disconnect(): void
}

/** Writes to the sink from here on. Returns how to stop, for a sink that is gone. */
export type StreamSource = (sink: EventSink) => () => void

/** A response that goes on until the reader leaves, falls too far behind, or the session moves. */
export const eventStream = ({
  audience,
  subscribers,
  since,
  opening = '',
  heartbeatMs = STREAM_HEARTBEAT_MS,
  retryMs = STREAM_RETRY_MS,
  isOver,
  endAfterMs,
  guard,
}: EventStreamOptions): Response => {
  const feed: StreamSource = (sink) => {
    // At once, so that proxies and clients see the stream open; a reader that is cut comes back after `retry`.
    sink.write(`: open\n\nretry: ${retryMs}\n\n${opening}`)
    const beat = setInterval(() => sink.write(': beat\n\n'), heartbeatMs)
    const reader = isOver
      ? new EndingStreamListener(audience, sink, beat, isOver, subscribers)
      : new StreamListener(audience, sink, beat)
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
    if (endAfterMs !== undefined)
      reader.end = setTimeout(() => {
        leave()
        // One that does not read would never come to its end.
        reader.close(sink.unsentBytes() > STREAM_BUFFER_BYTES ? 'slow' : undefined)
      }, endAfterMs)
    if (!isEnded) subscribers.add(reader, since)
    return leave
  }
  const response = new Response(bodyOf(feed), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
  streamSources.set(response, feed)
  return response
}

const streamSources = new WeakMap<Response, StreamSource>()

/** The feed behind a response, for a target that has a shorter way to the reader than the response's body. */
export const streamSourceOf = (response: Response): StreamSource | undefined => streamSources.get(response)

/** One for each reader, and there may be thousands: a class, so that each costs no closures. */
class StreamListener implements Listener {
  readonly audience: Audience
  readonly #sink: EventSink
  readonly #beat: ReturnType<typeof setInterval>
  end: ReturnType<typeof setTimeout> | undefined

  constructor(audience: Audience, sink: EventSink, beat: ReturnType<typeof setInterval>) {
    this.audience = audience
    this.#sink = sink
    this.#beat = beat
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

  stop(): void {
    clearInterval(this.#beat)
    clearTimeout(this.end)
  }

  close(why?: 'slow' | 'moved' | 'removed'): void {
    this.stop()
    if (why === 'slow') return this.#sink.disconnect()
    if (why === 'moved') this.#sink.write(`retry: ${RESTART_RETRY_MS}\n\n`)
    this.#sink.end()
  }
}

/** One whose stream ends by itself. */
class EndingStreamListener extends StreamListener {
  readonly #isOver: () => boolean
  readonly #subscribers: Subscribers

  constructor(
    audience: Audience,
    sink: EventSink,
    beat: ReturnType<typeof setInterval>,
    isOver: () => boolean,
    subscribers: Subscribers,
  ) {
    super(audience, sink, beat)
    this.#isOver = isOver
    this.#subscribers = subscribers
  }

  override send(text: string): void {
    super.send(text)
    // Leaving while the subscribers publish would change the set they walk.
    if (this.#isOver())
      queueMicrotask(() => {
        this.#subscribers.remove(this)
        this.close()
      })
  }
}

/** The feed as any platform serves it. It begins with the first read: a body that nobody reads keeps nobody busy. */
const bodyOf = (feed: StreamSource): ReadableStream<Uint8Array> => {
  let leave: (() => void) | null = null
  let wanted = () => {}
  const sinkOf = (controller: ReadableStreamDefaultController<Uint8Array>): EventSink => ({
    write: (text) => controller.enqueue(bytesOf(text)),
    unsentBytes: () => -(controller.desiredSize ?? 0),
    drained: async () => {
      while (-(controller.desiredSize ?? 0) > STREAM_BUFFER_BYTES)
        await new Promise<void>((resolve) => (wanted = resolve))
    },
    end: () => controller.close(),
    disconnect: () => controller.error(new Error('Too far behind.')),
  })
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        leave ??= feed(sinkOf(controller))
        wanted()
      },
      cancel() {
        leave?.()
        wanted()
      },
    },
    { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
  )
}

const encoder = new TextEncoder()
let lastText = ''
let lastBytes = new Uint8Array()
/** All readers get the same text in turn; it is encoded once. */
const bytesOf = (text: string): Uint8Array => {
  if (text !== lastText) {
    lastText = text
    lastBytes = encoder.encode(text)
  }
  return lastBytes
}

/** Where a reader left off: `Last-Event-ID`, else `?after=`. Null = it says nothing; undefined = it makes no sense. */
export const parseStreamCursor = (
  lastEventId: string | null,
  after: string | undefined,
): LogPosition | null | undefined => {
  const given = lastEventId || after
  if (given === undefined || given === '') return null
  return parseEventId(given) ?? undefined
}

/** A stream beats also where sockets need not: it is a request, and what stands between would give it up. */
export const streamTimings = ({
  heartbeatMs,
  retryMs,
  streamMs,
}: {
  readonly heartbeatMs?: number
  readonly retryMs?: number
  readonly streamMs?: number
}): Pick<EventStreamOptions, 'heartbeatMs' | 'retryMs' | 'endAfterMs'> => ({
  ...(heartbeatMs && { heartbeatMs }),
  ...(retryMs !== undefined && { retryMs }),
  ...(streamMs !== undefined && { endAfterMs: streamMs }),
})
