// Requests that came through a proxy. Any client can write forwarding headers, so they count only where the peer is a proxy
// that the operator trusts, and then only the part that trusted proxies wrote.
import type { IncomingRequest } from './authenticate.ts'
import { networkOf, plainAddress } from './caller-network.ts'

export interface ProxyTrust {
  /** Tells whether this address is a proxy whose forwarding headers count; absent = no address is. */
  readonly isTrustedProxy?: (address: string) => boolean
}

export interface Caller {
  readonly request: IncomingRequest
  /** The caller's address, for limits; its network where that is IPv6. */
  readonly address: string
}

/** The caller behind the peer, and the request as the caller made it. */
export const callerOf = ({ isTrustedProxy }: ProxyTrust, request: IncomingRequest, peer: string): Caller => {
  if (!isTrustedProxy?.(plainAddress(peer))) return { request, address: networkOf(peer) }
  const { headers } = request
  const host = lastValue(headers.get('x-forwarded-host'))
  const scheme = lastValue(headers.get('x-forwarded-proto'))
  const { url } = request
  return {
    address: networkOf(clientAddress(headers.get('x-forwarded-for'), peer, isTrustedProxy)),
    request: {
      url,
      headers,
      toRequest: () => request.toRequest?.() ?? (request as Request),
      ...(host !== null && { host }),
      ...(scheme !== null && { scheme }),
    },
  }
}

/** Reads from the right: each proxy appends the address that it saw, and an untrusted one may have made up all to its left. */
const clientAddress = (header: string | null, peer: string, isTrusted: (address: string) => boolean): string => {
  let address = peer
  for (const text of (header ?? '').split(',').toReversed()) {
    const next = plainAddress(withoutPort(text.trim()))
    if (!/^[\da-f.:]{2,45}$/i.test(next)) break
    address = next
    if (!isTrusted(next)) break
  }
  return address
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (text: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text

/** The trusted proxy appends its value: it is the last of several. */
const lastValue = (header: string | null): string | null => header?.split(',').at(-1)?.trim() || null

/** The request names somebody that a proxy forwards it for. */
export const isForwarded = ({ headers }: Pick<IncomingRequest, 'headers'>): boolean =>
  ['x-forwarded-for', 'forwarded', 'x-forwarded-host', 'x-real-ip'].some((name) => headers.get(name) !== null)
