// A session's live events of either wire, over any number of connections. The cursor is the id of the last event that was yielded, so a
// broken connection, a restart or a slow reader costs a reconnect and never an event.
import { FabricError } from '../http/error.ts'
import { SseReader } from './sse-reader.ts'

/** Settings of a feed of events. */
export interface EventFeedOptions {
  /** Only events after this one: `ev-12` or `12`. */
  readonly after?: string
  /** Without `after`: all earlier events (default), the last N, or none. */
  readonly replay?: 'all' | 'none' | number
  /** Ends the feed. */
  readonly signal?: AbortSignal
  /** The connection broke; the next try comes after this wait. */
  readonly onRetry?: (cause: FabricError, waitMs: number) => void
  /** Called for the first connection and for each reconnect. */
  readonly onOpen?: () => void
  /** The first wait after a broken connection, doubled up to the longest. The server's `retry:` replaces the first. */
  readonly backoffMs?: { readonly first: number; readonly longest: number }
  /** A connection that is silent for this long is dead: the server sends a comment every 15 seconds. */
  readonly silenceMs?: number
}

/** Opens the stream after a cursor; null = as `replay` says. */
export type StreamOpener = (cursor: string | null, signal: AbortSignal) => Promise<Response>

/** Throws when the first connection fails or a retry cannot help. Ends with the signal. */
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

/** A connection that the caller, the signal or a long silence ends. */
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
      // While the consumer works on the events the server is not silent.
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
  // A retry would only bring the same message again.
  if (error instanceof RangeError) return new FabricError(200, 'protocol', error.message, { cause: error })
  return new FabricError(0, 'unreachable', 'The connection was cut.', { cause: error })
}

/** Doubles, and is up to a quarter shorter at random, so that the clients of a server do not return at the same moment. */
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
