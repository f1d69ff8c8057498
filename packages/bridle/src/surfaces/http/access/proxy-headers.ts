// A request that came through a proxy. Forwarding headers are anybody's to write, so they count only where the peer is a proxy that
// the operator trusts, and then only as far as trusted proxies wrote them.
import type { IncomingRequest } from './authenticate.ts'
import { networkOf, plainAddress } from './caller-network.ts'

export interface ProxyTrust {
  /** Whether this address is a proxy whose forwarding headers count; absent = none is. */
  readonly isTrustedProxy?: (address: string) => boolean
}

export interface Caller {
  readonly request: IncomingRequest
  /** The caller's own address, for limits; of IPv6 its network. */
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

/** From the right: each proxy appends the address it saw, and what stands left of an untrusted one is that one's own word. */
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

/** Some proxies write the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (text: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text

/** The last of several values is the trusted proxy's own. */
const lastValue = (header: string | null): string | null => header?.split(',').at(-1)?.trim() || null

/** A proxy says that it passes the request on for somebody else. */
export const isForwarded = ({ headers }: Pick<IncomingRequest, 'headers'>): boolean =>
  ['x-forwarded-for', 'forwarded', 'x-forwarded-host', 'x-real-ip'].some((name) => headers.get(name) !== null)
