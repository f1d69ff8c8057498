// The HTTP server of a process: its timeouts, its address once it listens, and requests that Node would not read as we do.
import { IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { listen, listenerUrl } from '@bridle/runners/process/listener'

/** nginx and the balancers of clouds keep a connection for 60 s: a server that closes first resets some requests. */
const KEEP_ALIVE_MS = 75_000
/** Time for the headers of a request: a slow client holds a connection no longer. */
const HEADERS_MS = 10_000
/** Time for a whole request: a large body on a slow line takes most of it. */
const REQUEST_MS = 60_000
/** Node checks this often for connections that are too slow. */
const REQUEST_CHECK_MS = 2_000
/** TCP keep-alive starts after this time, and finds peers whose machine is gone. */
const TCP_KEEP_ALIVE_MS = 60_000
/** Requests of one connection that wait for the one in progress. Clients that pipeline at all send some ten. */
export const PIPELINED_REQUESTS_MAX = 100

export interface RequestTimeouts {
  readonly headersMs?: number
  readonly keepAliveMs?: number
}

/** Options of `createServer`. A silent or slow client holds a connection, and no longer than these times. */
export const requestTimeouts = ({ headersMs = HEADERS_MS, keepAliveMs = KEEP_ALIVE_MS }: RequestTimeouts) => ({
  headersTimeout: headersMs,
  keepAliveTimeout: keepAliveMs,
  requestTimeout: Math.max(REQUEST_MS, headersMs),
  connectionsCheckingInterval: Math.min(REQUEST_CHECK_MS, headersMs),
  // The router answers a request without a host, with a body.
  requireHostHeader: false,
  keepAlive: true,
  keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
})

/** Resolves to the URL of the server. */
export const listenAt = async (server: Server, port: number, host: string): Promise<string> => {
  await listen(server, { port, host })
  return listenerUrl(server)
}

/** Probes of load balancers may speak HTTP/1.0 and name no host. Any other request must: the host tells a local caller from a web page. */
export const addProbeHost = ({ httpVersion, headers, url = '' }: IncomingMessage): void => {
  if (httpVersion === '1.0' && headers.host === undefined && /^\/(?:health|ready)(?:\?|$)/.test(url))
    headers.host = 'localhost'
}

const offers = new WeakMap<IncomingMessage, unknown>()

/** Only the offer of a WebSocket is an upgrade; any other, such as HTTP/2, is ignored. Node before 24.9 has no setting for it. */
export class OfferingRequest extends IncomingMessage {
  // Node writes this property before it has parsed the headers, and reads it afterwards.
  set upgrade(offer: unknown) {
    offers.set(this, offer)
  }

  get upgrade(): unknown {
    return offers.get(this) && (this.method === 'CONNECT' || isWebSocket(this))
  }
}

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'

/** The requests of each connection that wait for the one in progress. */
const waiting = new WeakMap<Socket, (() => void)[]>()

// Node starts all pipelined requests of a packet at once, so a hundred connections could delay every other client by seconds.
/** Calls `begin` once the earlier requests of the connection are answered. Closes a connection with too many waiting requests. */
export const inTurn = ({ socket }: IncomingMessage, outgoing: ServerResponse, begin: () => void): void => {
  if (socket.destroyed) return
  const queue = waiting.get(socket)
  if (queue && queue.length >= PIPELINED_REQUESTS_MAX) {
    waiting.delete(socket)
    socket.destroy()
    return
  }
  outgoing.once('close', () => {
    const next = waiting.get(socket)?.shift()
    if (next && !socket.destroyed) next()
    else waiting.delete(socket)
  })
  if (queue) queue.push(begin)
  else {
    waiting.set(socket, [])
    begin()
  }
}
