// A session's live events over any number of connections. The cursor is the last yielded event, so a disconnect, restart
// or slow reader never loses an event.
import { FabricError } from '../http/error.ts'
import { SseReader } from './sse-reader.ts'

/** Options of an event feed. */
export interface EventFeedOptions {
  /** Starts after this event: `ev-12` or `12`. */
  readonly after?: string
  /** Without `after`: all earlier events (default), the last N, or none. */
  readonly replay?: 'all' | 'none' | number
  /** Stops the feed. */
  readonly signal?: AbortSignal
  /** The connection broke. The next attempt follows after `waitMs`. */
  readonly onRetry?: (cause: FabricError, waitMs: number) => void
  /** Called for the first connection and every reconnect. */
  readonly onOpen?: () => void
  /** Exponential backoff between reconnects. The server's `retry:` overrides `first`. */
  readonly backoffMs?: { readonly first: number; readonly longest: number }
  /** Reconnects after this much silence. The server sends a comment every 15 seconds. */
  readonly silenceMs?: number
}

/** `cursor` null: start as `replay` says. */
export type StreamOpener = (cursor: string | null, signal: AbortSignal) => Promise<Response>

/** Throws if the first connection fails or a retry is pointless. Ends with the signal. */
export async function* eventFeed<T>(open: StreamOpener, options: EventFeedOptions): AsyncGenerator<T, void, undefined> {
  const { signal, backoffMs = { first: 250, longest: 10_000 } } = options
  let cursor = options.after ?? null
  let firstMs = backoffMs.first
  let tries = 0
  let hasOpened = false
  while (!signal?.aborted) {
    const connection = streamConnection(signal, options.silenceMs ?? 45_000)
    let cause: FabricError
    try {
      const stream = await connection.read(open, cursor)
      hasOpened = true
      options.onOpen?.()
      for await (const message of stream) {
        if (message.id !== '') cursor = message.id
        tries = 0
        yield parseEvent<T>(message.data)
      }
      firstMs = connection.reader.retryMs ?? firstMs
      cause = new FabricError(0, 'closed', 'The server closed the stream.')
    } catch (error) {
      if (signal?.aborted) return
      cause = asFabricError(error)
      if (!cause.isRetryable || !hasOpened) throw cause
    } finally {
      connection.close()
    }
    const waitMs = cause.retryAfterMs ?? backoffDelay(tries++, firstMs, backoffMs.longest)
    options.onRetry?.(cause, waitMs)
    await sleep(waitMs, signal)
  }
}

const streamConnection = (signal: AbortSignal | undefined, silenceMs: number) => {
  const leave = new AbortController()
  const reader = new SseReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  const restartTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => leave.abort(new FabricError(0, 'silent', 'The server fell silent.')), silenceMs)
  }
  const abort = () => leave.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()

  async function* messages(body: ReadableStream<Uint8Array>) {
    const bytes = body.getReader()
    for (let part = await bytes.read(); !part.done; part = await bytes.read()) {
      restartTimer()
      // Time the consumer spends on events is not silence of the server.
      const complete = reader.push(part.value)
      if (complete.length > 0) clearTimeout(timer)
      yield* complete
      restartTimer()
    }
  }

  return {
    reader,
    async read(open: StreamOpener, cursor: string | null) {
      restartTimer()
      const { body } = await open(cursor, leave.signal)
      if (!body) throw new FabricError(0, 'protocol', 'The stream has no body.')
      return messages(body)
    },
    close() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      leave.abort()
    },
  }
}

const parseEvent = <T>(data: string): T => {
  try {
    return JSON.parse(data) as T
  } catch (cause) {
    throw new FabricError(200, 'protocol', 'The stream carries something that is not JSON.', { cause })
  }
}

const asFabricError = (error: unknown): FabricError => {
  if (error instanceof FabricError) return error
  // A retry would receive the same message again.
  if (error instanceof RangeError) return new FabricError(200, 'protocol', error.message, { cause: error })
  return new FabricError(0, 'unreachable', 'The connection was cut.', { cause: error })
}

/** Exponential backoff with up to 25 % jitter, so that clients do not reconnect at once. */
const backoffDelay = (tries: number, firstMs: number, longestMs: number): number =>
  Math.min(firstMs * 2 ** Math.min(tries, 30), longestMs) * (1 - Math.random() / 4)

export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
    if (signal?.aborted) done()
  })
