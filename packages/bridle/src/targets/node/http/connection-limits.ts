// How many connections there may be, of all and of one address. Where there are too many, the oldest that nobody uses goes, first
// of all one that never had a successful answer: a client that holds connections open and says nothing keeps nobody else out.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopback } from '../../../surfaces/http/access/authenticate.ts'

export interface ConnectionLimits {
  /** Connections open at once, of all kinds; default 20,000. */
  readonly maxConnections?: number | undefined
  /** Connections of one address; default 1,000, but for loopback. A limit that is set counts for every address. */
  readonly maxConnectionsPerAddress?: number | undefined
}

const CONNECTIONS_MAX = 20_000
/** More than a large office behind one address needs. A proxy on this machine brings everybody, hence not for loopback. */
const PER_ADDRESS_MAX = 1_000
/** Connections arrive in bursts, while those that were dropped for them are still closing. */
const HEADROOM = 1_000

interface Connection {
  readonly address: string
  /** Requests under way; a socket that was upgraded counts as one for good. */
  activeRequests: number
  /** The connection had a successful answer once. */
  hasSucceeded: boolean
}

export const limitConnections = (
  server: Server,
  { maxConnections = CONNECTIONS_MAX, maxConnectionsPerAddress }: ConnectionLimits,
): void => {
  const open = new Map<Socket, Connection>()
  /** Nobody uses these, oldest first. */
  const strange = new Set<Socket>()
  const idle = new Set<Socket>()
  const addresses = new Map<string, number>()
  const limitOf = (address: string): number =>
    maxConnectionsPerAddress ?? (isLoopback(plain(address)) ? Number.POSITIVE_INFINITY : PER_ADDRESS_MAX)

  const forget = (socket: Socket): void => {
    const connection = open.get(socket)
    if (!connection) return
    open.delete(socket)
    strange.delete(socket)
    idle.delete(socket)
    const left = (addresses.get(connection.address) ?? 1) - 1
    if (left === 0) addresses.delete(connection.address)
    else addresses.set(connection.address, left)
  }
  const drop = (socket: Socket): void => {
    forget(socket)
    socket.destroy()
  }
  /** False when all are in use. */
  const dropOldest = (address: string | null): boolean => {
    for (const unused of [strange, idle])
      for (const socket of unused)
        if (address === null || open.get(socket)?.address === address) {
          drop(socket)
          return true
        }
    return false
  }

  /** Shared by all: there may be thousands. */
  function onClose(this: Socket): void {
    forget(this)
  }

  // Only so that a flood costs no more than being refused: those below are told apart here.
  server.maxConnections = maxConnections + HEADROOM
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const count = addresses.get(address) ?? 0
    const isFull = count >= limitOf(address) && !dropOldest(address)
    if (isFull || (open.size >= maxConnections && !dropOldest(null))) {
      socket.destroy()
      return
    }
    open.set(socket, { address, activeRequests: 0, hasSucceeded: false })
    addresses.set(address, (addresses.get(address) ?? 0) + 1)
    strange.add(socket)
    socket.once('close', onClose)
  })

  const begin = (socket: Socket): void => {
    const connection = open.get(socket)
    if (!connection) return
    connection.activeRequests += 1
    strange.delete(socket)
    idle.delete(socket)
  }
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    begin(socket)
    response.once('close', () => {
      const connection = open.get(socket)
      if (!connection) return
      connection.activeRequests -= 1
      if (response.statusCode < 400) connection.hasSucceeded = true
      if (connection.activeRequests === 0) (connection.hasSucceeded ? idle : strange).add(socket)
    })
  })
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => begin(socket as Socket))
}

/** An IPv4 address as a socket that speaks both writes it. */
const plain = (address: string): string => address.replace(/^::ffff:/i, '')
