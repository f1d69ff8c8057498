// The HTTP server of a process: its timeouts, and its address once it listens.
import type { Server } from 'node:http'
import { assert } from '../../../kernel/assert.ts'
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
export const listen = (server: Server, port: number, hostname: string): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, hostname, () => {
      server.off('error', reject)
      const address = server.address()
      assert(address !== null && typeof address === 'object', 'a server that listens has an address and a port')
      const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
      resolve(`http://${host}:${address.port}`)
    })
  })
