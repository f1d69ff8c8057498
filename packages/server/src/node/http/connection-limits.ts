// Limits the connections of a server and of one address. Over a limit the oldest idle connection is dropped, preferably one that
// never had a successful answer, so that a client with many silent connections keeps no other client out.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopback } from '@bridle/surfaces/http/access/authenticate'
import { plainAddress } from '@bridle/surfaces/http/access/caller-network'

/** Connections of all kinds: twice the sockets, so that requests find room beside them. */
const CONNECTIONS_MAX = 20_000
/** Connections of one address: more than a large office needs. Not for loopback, where a proxy brings all callers. */
const CONNECTIONS_PER_ADDRESS_MAX = 1_000
/** Connections arrive in bursts, while the ones that were dropped for them are still closing. */
const CONNECTIONS_HEADROOM = 1_000

export interface ConnectionLimits {
  /** Connections open at once, of all kinds; default 20,000. */
  readonly maxConnections?: number | undefined
  /** Connections of one address; default 1,000, except for loopback. An explicit limit holds for every address. */
  readonly maxConnectionsPerAddress?: number | undefined
}

interface Connection {
  readonly address: string
  /** Active requests; an upgraded socket counts as one until it closes. */
  activeRequests: number
  /** The connection had a successful answer. */
  hasSucceeded: boolean
}

export const limitConnections = (
  server: Server,
  { maxConnections = CONNECTIONS_MAX, maxConnectionsPerAddress }: ConnectionLimits,
): void => {
  const open = new Map<Socket, Connection>()
  /** Idle connections that never had a successful answer, oldest first. */
  const unproven = new Set<Socket>()
  /** Idle connections that had one, oldest first. */
  const idle = new Set<Socket>()
  const addresses = new Map<string, number>()
  const limitOf = (address: string): number =>
    maxConnectionsPerAddress ??
    (isLoopback(plainAddress(address)) ? Number.POSITIVE_INFINITY : CONNECTIONS_PER_ADDRESS_MAX)

  const forget = (socket: Socket): void => {
    const connection = open.get(socket)
    if (!connection) return
    open.delete(socket)
    unproven.delete(socket)
    idle.delete(socket)
    const left = (addresses.get(connection.address) ?? 1) - 1
    if (left === 0) addresses.delete(connection.address)
    else addresses.set(connection.address, left)
  }
  const drop = (socket: Socket): void => {
    forget(socket)
    socket.destroy()
  }
  /** False when all connections are in use. */
  const dropOldest = (address: string | null): boolean => {
    for (const unused of [unproven, idle])
      for (const socket of unused)
        if (address === null || open.get(socket)?.address === address) {
          drop(socket)
          return true
        }
    return false
  }

  /** Shared by all connections: there may be thousands. */
  function onClose(this: Socket): void {
    forget(this)
  }

  // Node refuses a flood beyond this cheaply; below it the listener decides which connection to drop.
  server.maxConnections = maxConnections + CONNECTIONS_HEADROOM
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
    unproven.add(socket)
    socket.once('close', onClose)
  })

  const begin = (socket: Socket): void => {
    const connection = open.get(socket)
    if (!connection) return
    connection.activeRequests += 1
    unproven.delete(socket)
    idle.delete(socket)
  }
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    begin(socket)
    response.once('close', () => {
      const connection = open.get(socket)
      if (!connection) return
      connection.activeRequests -= 1
      if (response.statusCode < 400) connection.hasSucceeded = true
      if (connection.activeRequests === 0) (connection.hasSucceeded ? idle : unproven).add(socket)
    })
  })
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => begin(socket as Socket))
}
