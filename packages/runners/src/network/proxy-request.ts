// A request as a proxy gets it, `GET http://host/path`, checked and made into the request that its host gets. Each part that
// two programs could read differently (a host named twice, a body with two lengths) is refused.
import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { type Destination, formatHost, parseDestination } from './destination.ts'

export interface ProxyRequest {
  readonly destination: Destination
  readonly path: string
  readonly headers: OutgoingHttpHeaders
}

/** A string says what is wrong, and what to do. */
export const parseProxyRequest = (request: IncomingMessage): ProxyRequest | string => {
  const { url = '', rawHeaders } = request
  if (!isKnownVersion(request)) return 'Send HTTP/1.1.'
  if (/^https:/i.test(url)) return 'Reach an https host with CONNECT.'
  const [, authority = '', path = ''] = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(url) ?? []
  if (authority === '') return 'This is a proxy: send CONNECT host:port, or GET http://host/path.'
  if (authority.includes('@')) return 'A user name in the URL is not passed on.'
  const destination = parseDestination(authority, HTTP_PORT)
  if (!destination) return 'The URL has no usable host name.'

  const hosts = valuesOf(rawHeaders, 'host')
  const named = parseDestination(hosts[0] ?? '', HTTP_PORT)
  if (hosts.length !== 1 || named?.host !== destination.host || named.port !== destination.port) {
    return 'The Host header must name the host of the URL, once.'
  }
  const codings = valuesOf(rawHeaders, 'transfer-encoding')
  const lengths = valuesOf(rawHeaders, 'content-length')
  if (codings.length + lengths.length > 1 || codings.some((coding) => coding.toLowerCase() !== 'chunked')) {
    return 'The body must have one length, or be chunked.'
  }
  const { host, port } = destination
  const headers: OutgoingHttpHeaders = {
    ...endToEndHeaders(rawHeaders),
    host: `${formatHost(host)}${port === HTTP_PORT ? '' : `:${port}`}`,
    // Node frames the body of a GET only with this header; the host would read an unframed body as the next request.
    ...(codings.length > 0 && { 'transfer-encoding': 'chunked' }),
  }
  return { destination, path: path.startsWith('/') ? path : `/${path}`, headers }
}

/** A request line without a version is HTTP/0.9, in which nothing that follows is a header. */
export const isKnownVersion = ({ httpVersion }: IncomingMessage): boolean => /^1\.[01]$/.test(httpVersion)

/** The headers that belong to the message, not to one connection, with all values of each. */
export const endToEndHeaders = (rawHeaders: readonly string[]): OutgoingHttpHeaders => {
  const named = valuesOf(rawHeaders, 'connection').flatMap((value) => value.toLowerCase().split(/[\s,]+/))
  const headers: { [name: string]: string[] } = Object.create(null)
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (hopByHop.test(name) || (named.includes(name) && name !== 'content-length')) continue
    headers[name] = [...(headers[name] ?? []), rawHeaders[at + 1] as string]
  }
  return Object.fromEntries(Object.entries(headers).map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
}

const HTTP_PORT = 80
const hopByHop = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings|expect)$/

const valuesOf = (rawHeaders: readonly string[], name: string): string[] =>
  rawHeaders
    .filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
    .map((value) => value.trim())

export interface ProxiedExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly upstream: Socket
  readonly idleMs: number
  readonly headerBytesMax: number
}

/** Passes redirects on: the client's next request is checked again. Null: an answer was sent, or the client left. */
export const forwardExchange = async (
  { path, headers }: ProxyRequest,
  { request, response, upstream, idleMs, headerBytesMax }: ProxiedExchange,
): Promise<'unreachable' | 'timeout' | null> => {
  let isLate = false
  // This timeout covers both ends: a client that neither sends nor reads also silences this connection.
  upstream.setTimeout(idleMs, () => {
    isLate = true
    upstream.destroy()
  })
  response.once('close', () => upstream.destroy())
  try {
    const { method } = request
    const call = requestHttp({
      createConnection: () => upstream,
      ...{ method, path, headers, maxHeaderSize: headerBytesMax, insecureHTTPParser: false },
    })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      call.once('response', resolve)
      call.on('error', reject).once('close', () => reject(new Error('The connection was closed without an answer.')))
    })
    // Not a pipeline: a host that answers early and closes would end the client's connection before it has the answer.
    request.pipe(call)
    const answer = await answered
    response.writeHead(answer.statusCode ?? 502, { ...endToEndHeaders(answer.rawHeaders), connection: 'close' })
    response.flushHeaders()
    await pipeline(answer, response)
    return null
  } catch {
    if (response.headersSent) response.destroy()
    return response.headersSent || response.destroyed ? null : isLate ? 'timeout' : 'unreachable'
  } finally {
    upstream.destroy()
  }
}
