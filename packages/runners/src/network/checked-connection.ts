// A connection to a host name whose addresses were looked at first. The name is resolved once and the connection goes to an
// address of that very answer: a second look-up could be answered with another address (DNS rebinding).

import { Resolver } from 'node:dns/promises'
import { createConnection, isIP, type Socket } from 'node:net'
import type { Destination } from './destination.ts'

/** A name may have dozens of addresses; one of the first few answers, or the host is down. */
const ADDRESSES_TRIED_MAX = 3

/** All addresses of a name; rejects or is empty where there are none. */
export type AddressLookup = (host: string) => Promise<readonly string[]>

/** Starts a connection to an address, which is never a name. Half-open: an end that has finished may still be answered. */
export type AddressConnector = (address: string, port: number) => Socket

export interface ConnectionOptions {
  readonly lookup: AddressLookup
  readonly connect: AddressConnector
  readonly isPrivate: (address: string) => boolean
  readonly lookupMs: number
  /** For each address that is tried. */
  readonly connectMs: number
  /** Aborted when nobody waits for the connection any more. */
  readonly signal: AbortSignal
}

export type ConnectionFailure = 'private_address' | 'name_not_found' | 'unreachable' | 'timeout'

export const connectChecked = async (
  { host, port }: Destination,
  options: ConnectionOptions,
): Promise<Socket | ConnectionFailure> => {
  const { lookup, isPrivate, lookupMs, signal } = options
  const found = isIP(host) ? [host] : await untilTimeout(lookup(host), lookupMs, signal).catch(() => [])
  if (found === 'timeout') return found
  if (found.length === 0) return 'name_not_found'
  // A single private address is enough to refuse the name: its owner chooses which address is tried.
  if (!found.every((address) => isIP(address) !== 0 && !isPrivate(address))) return 'private_address'

  let failure: ConnectionFailure = 'unreachable'
  for (const address of found.slice(0, ADDRESSES_TRIED_MAX)) {
    if (signal.aborted) break
    const outcome = await connectOnce(address, port, options)
    if (typeof outcome !== 'string') return outcome
    failure = outcome
  }
  return failure
}

/** Asks the DNS servers. `getaddrinfo` would add search domains and the hosts file, and block threads that read files. */
export const lookupPublicName: AddressLookup = async (host) => {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  // IPv4 first: a machine without an IPv6 route would spend its first attempts on addresses that it cannot reach.
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

export const connectAddress: AddressConnector = (address, port) =>
  createConnection({ host: address, port, allowHalfOpen: true, noDelay: true })

const connectOnce = (
  address: string,
  port: number,
  { connect, connectMs, signal }: ConnectionOptions,
): Promise<Socket | ConnectionFailure> =>
  new Promise((resolve) => {
    const socket = connect(address, port)
    const settle = (outcome: Socket | ConnectionFailure) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      socket.off('connect', succeed).off('close', abort)
      if (outcome !== socket) socket.destroy()
      resolve(outcome)
    }
    const succeed = () => settle(socket)
    const abort = () => settle('unreachable')
    const timer = setTimeout(() => settle('timeout'), connectMs)
    signal.addEventListener('abort', abort)
    // The error listener stays: without one a late error would end the process.
    socket
      .on('error', () => {})
      .once('close', abort)
      .once('connect', succeed)
  })

const untilTimeout = async <T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T | 'timeout'> => {
  let stop = () => {}
  const end = new Promise<'timeout'>((resolve) => {
    const timer = setTimeout(resolve, ms, 'timeout')
    const abort = () => resolve('timeout')
    signal.addEventListener('abort', abort)
    stop = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  })
  return Promise.race([work, end]).finally(stop)
}
