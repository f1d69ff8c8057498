// The HTTP server of a process: its timeouts, its address once it listens, and requests that Node would not read as we do.
import { IncomingMessage, type Server } from 'node:http'
import { listen, listenerUrl } from '../../../runners/listener.ts'
import { HEADERS_MS, KEEP_ALIVE_MS, REQUEST_CHECK_MS, REQUEST_MS, TCP_KEEP_ALIVE_MS } from '../limits.ts'

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
