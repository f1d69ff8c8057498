// Server-sent events: framing, cursors, heartbeats, and a bounded buffer between a session and its reader.
import type { AnyEvent } from '@bridle/kernel/event'
import type { Incarnations } from '@bridle/kernel/positions/incarnation'
import { type LogPosition, parseEventId, positionText } from '@bridle/kernel/positions/log-position'
import type { Audience, Listener, Subscribers } from '@bridle/kernel/session/subscribers'
import { RESTART_RETRY_MS, STREAM_HEARTBEAT_MS } from '../limits.ts'

/** A restart takes a second or two. A reader that comes back earlier meets a proxy's 502, after which EventSource gives up. */
const STREAM_RETRY_MS = 2_000
/** Unread bytes after which a stream waits for its reader: some hundred frames, and little per reader. */
const STREAM_BUFFER_BYTES = 64 * 1024

/**
 * Frames have no `event:` field, so that a plain `onmessage` fires. An id is a position in the log: a frame of anything else has
 * none, since a browser sends the last id back as its cursor.
 */
export const sseFrame = (data: unknown, position?: number | string): string =>
  `${position === undefined ? '' : `id: ${position}\n`}data: ${JSON.stringify(data)}\n\n`

/** Readers of frames. `shownAs` gives the content of an event's frame; null = it has none. A replayed frame is byte for byte the live one. */
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
  /** Asked after each frame: true ends the stream behind it. */
  readonly isOver?: () => boolean
  readonly retryMs?: number
  /** The stream ends after this time, and its reader resumes by id; absent = never. */
  readonly endAfterMs?: number
  /** May call `end` at any time, after which nothing is sent. Returns how to stop the guard. */
  readonly guard?: (end: () => void) => () => void
}

export type StreamTimes = Pick<EventStreamOptions, 'heartbeatMs' | 'retryMs' | 'endAfterMs'>

/** The reader's end of a stream. */
export interface EventSink {
  write(text: string): void
  /** Bytes that are written and that the reader has not taken yet. */
  unsentBytes(): number
  /** Resolves when the reader can take more, or is gone. */
  drained(): Promise<void>
  /** Ends the stream behind all that is written. */
  end(): void
  /** Ends the stream at once, and drops all that the reader has not taken. */
  disconnect(): void
}

/** Begins to write to the sink. Returns how to stop, for a reader that leaves. */
export type StreamSource = (sink: EventSink) => () => void

/** A response that lasts until the reader leaves or falls too far behind, or until the session moves. */
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
      // A reader that takes nothing would never come to the end of the stream.
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

/**
 * The first bytes go out at once, so that proxies and clients see an open stream; a cut reader reconnects after `retry`. Returns how to stop
 * the heartbeats and the timer of the end.
 */
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

/** The source behind a response, for a target that can write to the connection without the response's body. */
export const streamSourceOf = (response: Response): StreamSource | undefined => streamSources.get(response)

/** A class, since there may be thousands of readers: closures would cost memory for each. */
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

/** A listener whose stream has an end, such as the end of a turn. */
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
    // The subscribers are publishing: removing one now would change the set that they iterate over.
    if (this.#isOver())
      queueMicrotask(() => {
        this.#subscribers.remove(this)
        this.close()
      })
  }
}

/** The stream as any platform can serve it. The source begins with the first read: a body that nobody reads costs nothing. */
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
/** All readers get the same text one after the other: encode it once. */
const bytesOf = (text: string): Uint8Array => {
  if (text !== lastText) {
    lastText = text
    lastBytes = encoder.encode(text)
  }
  return lastBytes
}

/** The reader's cursor: `Last-Event-ID`, else `?after=`. Null = it sends none; undefined = it is not an event id. */
export const parseStreamCursor = (
  lastEventId: string | null,
  after: string | undefined,
): LogPosition | null | undefined => {
  const cursor = lastEventId || after
  if (cursor === undefined || cursor === '') return null
  return parseEventId(cursor) ?? undefined
}

/** A stream sends heartbeats even where a target turns them off for sockets (0): proxies give up a silent request. */
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
