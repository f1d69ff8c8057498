import { IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { listen, listenerUrl } from '@bridle/runners/process/listener'

/** Longer than the 60 s of nginx and cloud load balancers, because a server that closes first resets some requests. */
const KEEP_ALIVE_MS = 75_000
/** Bounds how long a slow client can hold a connection. */
const HEADERS_MS = 10_000
/** Most of it is for large bodies on slow lines. */
const REQUEST_MS = 60_000
/** How often Node looks for slow connections. */
const REQUEST_CHECK_MS = 2_000
/** Detects peers whose machine is gone. */
const TCP_KEEP_ALIVE_MS = 60_000
/** Clients that pipeline at all send about ten. */
export const PIPELINED_REQUESTS_MAX = 100

export interface RequestTimeouts {
  readonly headersMs?: number
  readonly keepAliveMs?: number
}

/** Options of `createServer`. They bound how long a silent or slow client can hold a connection. */
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

export const listenAt = async (server: Server, port: number, host: string): Promise<string> => {
  await listen(server, { port, host })
  return listenerUrl(server)
}

/** Probes of load balancers may speak HTTP/1.0 without a host. Other requests need one: it tells local callers from web pages. */
export const addProbeHost = ({ httpVersion, headers, url = '' }: IncomingMessage): void => {
  if (httpVersion === '1.0' && headers.host === undefined && /^\/(?:health|ready)(?:\?|$)/.test(url))
    headers.host = 'localhost'
}

const offers = new WeakMap<IncomingMessage, unknown>()

/** Accepts only WebSocket upgrades and ignores others, such as HTTP/2. Node before 24.9 has no setting for that. */
export class OfferingRequest extends IncomingMessage {
  // Node sets this property before it has parsed the headers, and reads it afterwards.
  set upgrade(offer: unknown) {
    offers.set(this, offer)
  }

  get upgrade(): unknown {
    return offers.get(this) && (this.method === 'CONNECT' || isWebSocket(this))
  }
}

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'

/** Pipelined requests, per connection. */
const waiting = new WeakMap<Socket, (() => void)[]>()

// Node starts all pipelined requests of a packet at once, so a hundred connections could delay other clients by seconds.
/** Calls `begin` once earlier requests of the connection are answered. Closes a connection with too many queued requests. */
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
