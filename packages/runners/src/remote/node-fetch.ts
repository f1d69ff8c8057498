// `fetch` with Node's HTTP client. The global `fetch` gives up a stream that is silent for five minutes, which a runner may be. Each
// request has its own connection, so none is sent into a connection that the runner is closing.

import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { RunnerFetch } from './provider.ts'

/** Bytes of an answer that wait for their reader: a few frames. Above it the runner waits. */
const UNREAD_ANSWER_BYTES_MAX = 64 * 1024

/** Statuses whose `Response` has no body. */
const BODILESS = new Set([204, 205, 304])

/** A redirect is returned and never followed. `connection` says how a request is connected where its URL does not. */
export const nodeFetch =
  (connection: Pick<RequestOptions, 'agent' | 'createConnection'> = { agent: false }): RunnerFetch =>
  (url, init) =>
    new Promise((resolve, reject) => {
      const { method = 'GET', headers, body, signal } = init
      if (typeof body !== 'string' && !(body instanceof Uint8Array) && body !== undefined && body !== null)
        return reject(new TypeError('The body of a request to a runner is a text or bytes.'))
      if (signal?.aborted) return reject(signal.reason)
      const { protocol, host, hostname, port, pathname, search } = new URL(url)
      const request = protocol === 'https:' ? httpsRequest : httpRequest
      const asking = request({
        method,
        // An IPv6 address stands in brackets in a URL, and nowhere else.
        hostname: hostname.replace(/^\[|\]$/g, ''),
        ...(port !== '' && { port }),
        path: `${pathname}${search}`,
        headers: {
          host,
          ...Object.fromEntries(new Headers(headers)),
          ...((typeof body === 'string' || body instanceof Uint8Array) && {
            'content-length': Buffer.byteLength(body),
          }),
        },
        ...connection,
      })
      const abort = () =>
        asking.destroy(signal?.reason instanceof Error ? signal.reason : new Error(String(signal?.reason)))
      signal?.addEventListener('abort', abort)
      asking.once('close', () => signal?.removeEventListener('abort', abort))
      asking.on('error', (cause) => reject(signal?.aborted ? signal.reason : fetchFailure(cause)))
      asking.once('response', (incoming) => {
        try {
          resolve(responseOf(incoming, asking, signal ?? null))
        } catch (cause) {
          asking.destroy()
          reject(fetchFailure(cause))
        }
      })
      asking.end(body ?? undefined)
    })

const responseOf = (incoming: IncomingMessage, asking: ClientRequest, signal: AbortSignal | null): Response => {
  const { statusCode = 0, rawHeaders } = incoming
  const headers = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  if (!BODILESS.has(statusCode)) return new Response(bodyOf(incoming, asking, signal), { status: statusCode, headers })
  incoming.resume()
  return new Response(null, { status: statusCode, headers })
}

const bodyOf = (
  incoming: IncomingMessage,
  asking: ClientRequest,
  signal: AbortSignal | null,
): ReadableStream<Uint8Array> => {
  let isOver = false
  const once = (act: () => void) => {
    if (!isOver) act()
    isOver = true
  }
  return new ReadableStream<Uint8Array>(
    {
      start: (out) => {
        incoming.on('data', (bytes: Buffer) => {
          out.enqueue(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
          if ((out.desiredSize ?? 0) <= 0) incoming.pause()
        })
        const broken = (cause?: unknown) =>
          once(() => out.error(signal?.aborted ? signal.reason : new TypeError('terminated', { cause })))
        incoming.once('end', () => once(() => out.close()))
        incoming.on('error', broken)
        incoming.once('close', () => broken())
      },
      pull: () => void incoming.resume(),
      cancel: () => {
        once(() => {})
        asking.destroy()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: UNREAD_ANSWER_BYTES_MAX }),
  )
}

const fetchFailure = (cause: unknown): TypeError => new TypeError('fetch failed', { cause })
