import { isJsonObject } from '@bridle/events/json'
import type { RequestMessage } from '@bridle/wire/openharness/wire'
import { httpUpload } from './files/http-upload.ts'
import { withinTime } from './messages/deadline.ts'
import { ShellFault } from './messages/fault.ts'
import { createFrameReader, type FrameReader } from './streaming/frame-reader.ts'
import type { ShellTransport } from './transport.ts'

/** Engines answer within 50 seconds, if only to report progress. The rest covers the network. */
const ATTEMPT_MS = 60_000
/** An engine that works for minutes holds each attempt for up to 50 seconds. */
const RETRIES_MAX = 5
/** Doubles with each retry. */
const RETRY_MS = 500
/** Longer waits look like a hang to the user. */
const RETRY_MS_MAX = 10_000
/** A response is text for one screen. */
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024

/** Options of `httpTransport`. */
export interface HttpTransportOptions {
  /** URL of the engine, such as `http://127.0.0.1:4317/v1/openharness`. */
  readonly url: string | URL
  /** URL for uploads. Default: `url` with `/files` in place of `/v1/openharness`. */
  readonly filesUrl?: string | URL
  /** Request headers, or a function that returns them, for example to refresh a token. */
  readonly headers?: HttpHeaders | (() => HttpHeaders | Promise<HttpHeaders>)
  /** Custom `fetch`. */
  readonly fetch?: typeof fetch
  /** Timeout per attempt; for a stream, the longest silence. Default: one minute. */
  readonly timeoutMs?: number
  /** Retries after an error marked `retryable` or a broken stream. Default: 5. */
  readonly retries?: number
  /** Delay before the first retry. It doubles with each retry, up to ten seconds. Default: half a second. */
  readonly retryMs?: number
  /** Largest response, and largest frame of a stream. Default: 4 MiB. */
  readonly maxBytes?: number
}

/** Headers by name. */
export type HttpHeaders = Readonly<Record<string, string>>

/**
 * HTTP transport. Retries only `retryable: true` errors and broken streams, with the same body and `request_id`. Refuses
 * redirects, because they would send the headers to another address.
 */
export const httpTransport = (options: HttpTransportOptions): ShellTransport => {
  const { retries = RETRIES_MAX, retryMs = RETRY_MS, maxBytes = RESPONSE_BYTES_MAX } = options
  const send: ShellTransport = async (request, { signal, onPartial }) => {
    const isStreamed = Boolean(request.capabilities?.['openharness.streaming'])
    let reader = isStreamed ? createFrameReader(maxBytes, onPartial) : null
    for (let attempt = 0; ; attempt += 1) {
      const place = reader?.lastId
      const { message, retryAfterMs, fault } = await post(request, options, signal, reader)
      // Progress resets the retry budget.
      if (reader?.lastId !== place) attempt = 0
      if (attempt >= retries && fault) throw fault
      if (!fault && (attempt >= retries || !isRetryable(message))) return message
      // An error ends its stream, so the retry starts a new one.
      if (!fault && reader) reader = createFrameReader(maxBytes, onPartial)
      const backoffMs = Math.min(retryMs * 2 ** attempt, RETRY_MS_MAX) * (0.5 + Math.random() / 2)
      await withinTime(Math.min(Math.max(backoffMs, retryAfterMs), RETRY_MS_MAX), signal, () => new Promise(() => {}))
    }
  }
  return Object.assign(send, { upload: httpUpload(options) })
}

interface Reply {
  readonly message?: unknown
  readonly retryAfterMs: number
  readonly fault?: ShellFault
}

const post = async (
  request: RequestMessage,
  options: HttpTransportOptions,
  signal: AbortSignal,
  reader: FrameReader | null,
): Promise<Reply> => {
  const { timeoutMs = ATTEMPT_MS, maxBytes = RESPONSE_BYTES_MAX } = options
  const end = performance.now() + timeoutMs
  const connection = new AbortController()
  try {
    const response = await inTime(timeoutMs, timeoutMs, signal, async () =>
      reach(options, {
        method: 'POST',
        headers: await headersOf(options, reader),
        body: JSON.stringify(request),
        redirect: 'error',
        signal: connection.signal,
      }),
    )
    const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1000 || 0
    if (reader && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) {
      const message = await follow(response, reader, (read) => inTime(timeoutMs, timeoutMs, signal, read))
      return message === undefined ? { retryAfterMs, fault: brokenStream() } : { message, retryAfterMs }
    }
    const text = await inTime(end - performance.now(), timeoutMs, signal, () => readText(response, maxBytes))
    return { message: parse(text, response.status), retryAfterMs }
  } catch (cause) {
    const isBroken = cause instanceof ShellFault && (cause.code === 'unreachable' || cause.code === 'timed_out')
    if (!reader?.hasBegun || !isBroken) throw cause
    return { retryAfterMs: 0, fault: brokenStream(cause) }
  } finally {
    connection.abort()
  }
}

const brokenStream = (cause?: unknown): ShellFault =>
  new ShellFault('stream_broken', 'The stream broke before its final message: send it again with the same requestId.', {
    cause,
  })

const headersOf = async ({ headers: own }: HttpTransportOptions, reader: FrameReader | null): Promise<Headers> => {
  const headers = new Headers(typeof own === 'function' ? await own() : own)
  headers.set('content-type', 'application/json')
  headers.set('accept', reader ? 'text/event-stream, application/json' : 'application/json')
  if (reader?.lastId) headers.set('last-event-id', reader.lastId)
  return headers
}

/** The timeout applies to each chunk: an engine that works for hours still sends heartbeats. */
const follow = (
  response: Response,
  reader: FrameReader,
  inItsTime: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<unknown> => {
  const body = response.body?.getReader()
  if (!body) return Promise.resolve(undefined)
  return reader.follow(async () => {
    const piece = await inItsTime(() => body.read().catch((cause: unknown) => Promise.reject(cutOff(cause, response))))
    return piece.done ? undefined : piece.value
  })
}

const inTime = async <T>(
  ms: number,
  timeoutMs: number,
  signal: AbortSignal,
  work: () => T | PromiseLike<T>,
): Promise<T> => {
  const result = await withinTime(ms, signal, work)
  switch (result.end) {
    case 'done':
      return result.value
    case 'failed':
      throw result.error
    case 'aborted':
      throw new ShellFault('aborted', 'The request was ended by the caller.')
    case 'timed_out':
      throw new ShellFault('timed_out', `No response came within ${timeoutMs} ms.`)
  }
}

const reach = async ({ fetch: ownFetch, url }: HttpTransportOptions, init: RequestInit): Promise<Response> => {
  try {
    return await (ownFetch ?? fetch)(url, init)
  } catch (cause) {
    throw new ShellFault('unreachable', 'The engine cannot be reached.', { cause })
  }
}

/** Engines report failures as messages too, so the HTTP status alone is not enough. */
const parse = (text: string, status: number): unknown => {
  try {
    const message: unknown = JSON.parse(text)
    if (isJsonObject(message) && message.response !== undefined) return message
  } catch {
    // Not JSON, such as a proxy's HTML error page.
  }
  const hint = 'check the address, and the proxies on the way.'
  throw new ShellFault('not_openharness', `HTTP ${status} without an OpenHarness message: ${hint}`, { status })
}

const isRetryable = (message: unknown): boolean => {
  const response = isJsonObject(message) ? message.response : undefined
  const error = isJsonObject(response) && response.status === 'error' ? response.error : undefined
  return isJsonObject(error) && error.retryable === true
}

const readText = async (response: Response, maxBytes: number): Promise<string> => {
  const { status } = response
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      bytes += piece.value.byteLength
      if (bytes > maxBytes) {
        await reader.cancel()
        throw new ShellFault('too_large', `The response has more than ${maxBytes} bytes.`, { status })
      }
      text += decoder.decode(piece.value, { stream: true })
    }
  } catch (cause) {
    if (cause instanceof ShellFault) throw cause
    throw cutOff(cause, response)
  }
  return text + decoder.decode()
}

const cutOff = (cause: unknown, { status }: Response): ShellFault =>
  new ShellFault('unreachable', 'The connection broke in the middle of the response.', { cause, status })
