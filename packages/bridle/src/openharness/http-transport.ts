// Requests as HTTP: one POST each. Every attempt has a time limit and every body a size limit.
import { isJsonObject } from '../kernel/json.ts'
import type { RequestMessage } from '../surfaces/openharness/wire.ts'
import { withinTime } from './deadline.ts'
import { ShellFault } from './fault.ts'
import { ATTEMPT_MS, RESPONSE_BYTES_MAX, RETRIES_MAX, RETRY_MS, RETRY_MS_MAX } from './limits.ts'
import type { ShellTransport } from './transport.ts'

/** Options of `httpTransport`. */
export interface HttpTransportOptions {
  /** The address of the engine, such as `http://127.0.0.1:4317/v1/openharness`. */
  readonly url: string | URL
  /** Headers of each request, or a function that makes them, such as one that renews a token. */
  readonly headers?: HttpHeaders | (() => HttpHeaders | Promise<HttpHeaders>)
  /** Another `fetch`. */
  readonly fetch?: typeof fetch
  /** The time for one attempt. Default: one minute. */
  readonly timeoutMs?: number
  /** How often a request is sent again whose error says `retryable`. Default: 5. */
  readonly retries?: number
  /** The delay before the first retry; each further one doubles it, up to ten seconds. Default: half a second. */
  readonly retryMs?: number
  /** The largest response. Default: 4 MiB. */
  readonly maxBytes?: number
}

/** Headers by name. */
export type HttpHeaders = Readonly<Record<string, string>>

/**
 * A transport over HTTP. It sends a request again only where the engine's error says `retryable: true`, with the same body and so the
 * same `request_id`. Redirects are refused, because they would carry the headers to another address.
 */
export const httpTransport = (options: HttpTransportOptions): ShellTransport => {
  const { timeoutMs = ATTEMPT_MS, retries = RETRIES_MAX, retryMs = RETRY_MS } = options
  return async (request, { signal }) => {
    for (let attempt = 0; ; attempt += 1) {
      const work = await withinTime(timeoutMs, signal, (limit) => post(request, options, limit))
      if (work.end === 'aborted') throw new ShellFault('aborted', 'The request was ended by the caller.')
      if (work.end === 'timed_out') throw new ShellFault('timed_out', `No response came within ${timeoutMs} ms.`)
      if (work.end === 'failed') throw work.error
      const { message, retryAfterMs } = work.value
      if (attempt >= retries || !isRetryable(message)) return message
      const backoffMs = Math.min(retryMs * 2 ** attempt, RETRY_MS_MAX) * (0.5 + Math.random() / 2)
      await withinTime(Math.min(Math.max(backoffMs, retryAfterMs), RETRY_MS_MAX), signal, () => new Promise(() => {}))
    }
  }
}

const post = async (request: RequestMessage, options: HttpTransportOptions, signal: AbortSignal) => {
  const headers = new Headers(typeof options.headers === 'function' ? await options.headers() : options.headers)
  headers.set('content-type', 'application/json')
  headers.set('accept', 'application/json')
  const response = await reach(options, {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
    redirect: 'error',
    signal,
  })
  const { status } = response
  const message = parse(await readText(response, options.maxBytes ?? RESPONSE_BYTES_MAX), status)
  return { message, retryAfterMs: Number(response.headers.get('retry-after') ?? 0) * 1000 || 0 }
}

const reach = async ({ fetch: ownFetch, url }: HttpTransportOptions, init: RequestInit): Promise<Response> => {
  try {
    return await (ownFetch ?? fetch)(url, init)
  } catch (cause) {
    throw new ShellFault('unreachable', 'The engine cannot be reached.', { cause })
  }
}

/** Engines answer failures with a message too, so the status alone says nothing. */
const parse = (text: string, status: number): unknown => {
  try {
    const message: unknown = JSON.parse(text)
    if (isJsonObject(message) && message.response !== undefined) return message
  } catch {
    // No JSON, such as the HTML page of a proxy.
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
    throw new ShellFault('unreachable', 'The connection broke in the middle of the response.', { cause, status })
  }
  return text + decoder.decode()
}
