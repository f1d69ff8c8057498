// Server-sent events: framing, cursors, heartbeats, and a bounded buffer between a session and its reader.
import type { Audience, Subscribers } from '../../kernel/subscribers.ts'

/** No `event:` field, so that a plain `onmessage` fires; the id is the log's number and nothing else ever has one. */
export const frame = (data: unknown, seq?: number): string =>
  `${seq === undefined ? '' : `id: ${seq}\n`}data: ${JSON.stringify(data)}\n\n`

const HEARTBEAT_MS = 15_000
const RETRY_MS = 500

export interface EventStream {
  readonly audience: Audience
  readonly subscribers: Subscribers
  readonly since: number
  /** Sent before everything else; has no id. */
  readonly opening?: string
  readonly heartbeatMs?: number
}

/** A response that goes on until the reader leaves, falls too far behind, or the session moves. */
export const eventStream = ({
  audience,
  subscribers,
  since,
  opening = '',
  heartbeatMs = HEARTBEAT_MS,
}: EventStream): Response => {
  const encoder = new TextEncoder()
  let leave = () => {}
  let beat: ReturnType<typeof setInterval> | undefined
  let wanted = () => {}
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string) => controller.enqueue(encoder.encode(text))
        const unsent = () => BUFFER_BYTES - (controller.desiredSize ?? BUFFER_BYTES)
        // At once, so that proxies and clients see the stream open; a reader that is cut comes back after `retry`.
        write(`: open\n\nretry: ${RETRY_MS}\n\n${opening}`)
        beat = setInterval(() => write(': beat\n\n'), heartbeatMs)
        leave = subscribers.add(
          {
            audience,
            send: write,
            unsent,
            ready: async () => {
              while (unsent() > BUFFER_BYTES) await new Promise<void>((resolve) => (wanted = resolve))
            },
            close: () => {
              clearInterval(beat)
              controller.close()
            },
          },
          since,
        )
      },
      pull: () => wanted(),
      cancel() {
        clearInterval(beat)
        leave()
        wanted()
      },
    },
    { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}

const BUFFER_BYTES = 64 * 1024

/** Where a reader left off: `Last-Event-ID`, else `?after=`. Null = it says nothing; undefined = it makes no sense. */
export const cursorOf = (lastEventId: string | null, after: string | undefined): number | null | undefined => {
  const given = lastEventId || after
  if (given === undefined || given === '') return null
  const digits = /^(?:ev-)?(\d{1,15})$/.exec(given)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
