// A checked request on its way over an open connection, and the answer on its way back, as fast as it is read. A redirect is
// an answer like any other: the client follows it with a request of its own, which is checked again.
import { type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { endToEndHeaders, type ProxyRequest } from './proxy-request.ts'

export interface ProxiedExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly upstream: Socket
  readonly idleMs: number
  readonly headerBytesMax: number
}

/** Null: an answer was passed on, or nobody is left to get one. */
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
