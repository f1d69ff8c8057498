// Over a limit, drops the oldest idle connection, preferably one without a successful response, so that a client with many
// silent connections cannot lock others out.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopback } from '@bridle/surfaces/http/access/authenticate'
import { plainAddress } from '@bridle/surfaces/http/access/caller-network'

/** Twice the socket limit, which leaves room for requests. */
const CONNECTIONS_MAX = 20_000
/** More than a large office needs. Loopback is exempt, because a proxy there brings all callers. */
const CONNECTIONS_PER_ADDRESS_MAX = 1_000
/** Connections arrive in bursts, while those dropped for them are still closing. */
const CONNECTIONS_HEADROOM = 1_000

export interface ConnectionLimits {
  /** Maximum open connections of all kinds. Default: 20,000. */
  readonly maxConnections?: number | undefined
  /** Maximum connections per address. Default: 1,000, except for loopback. An explicit limit applies to every address. */
  readonly maxConnectionsPerAddress?: number | undefined
}

interface Connection {
  readonly address: string
  /** An upgraded socket counts as one request until it closes. */
  activeRequests: number
  hasSucceeded: boolean
}

export const limitConnections = (
  server: Server,
  { maxConnections = CONNECTIONS_MAX, maxConnectionsPerAddress }: ConnectionLimits,
): void => {
  const open = new Map<Socket, Connection>()
  /** Idle connections without a successful response, oldest first. */
  const unproven = new Set<Socket>()
  /** Other idle connections, oldest first. */
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
  /** False if all connections are in use. */
  const dropOldest = (address: string | null): boolean => {
    for (const unused of [unproven, idle])
      for (const socket of unused)
        if (address === null || open.get(socket)?.address === address) {
          drop(socket)
          return true
        }
    return false
  }

  /** Shared by all connections, because there may be thousands. */
  function onClose(this: Socket): void {
    forget(this)
  }

  // Node refuses connections beyond this cheaply; below it, the listener chooses which one to drop.
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
