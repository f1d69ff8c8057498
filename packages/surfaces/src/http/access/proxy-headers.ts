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
export const callerOf = (
  { isTrustedProxy }: ProxyTrust,
  request: IncomingRequest,
  peer: string,
  httpVersion = request.httpVersion,
): Caller => {
  const { url, headers, method } = request
  const plain = {
    url,
    ...(method !== undefined && { method }),
    headers,
    toRequest: () => request.toRequest?.() ?? (request as Request),
    ...(httpVersion !== undefined && { httpVersion }),
  }
  if (!isTrustedProxy?.(plainAddress(peer))) return { request: plain, address: networkOf(peer) }
  const host = lastValue(headers.get('x-forwarded-host'))
  const scheme = lastValue(headers.get('x-forwarded-proto'))
  return {
    address: networkOf(clientAddress(headers.get('x-forwarded-for'), peer, isTrustedProxy)),
    request: {
      ...plain,
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

const PROXY_HEADERS: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'true-client-ip', 'cdn-loop', 'fastly-client-ip'],
  ...['x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-original-host', 'x-envoy-external-address'],
])

/**
 * A proxy passed the request on: it says so in a header, or speaks HTTP/1.0, as nginx does unless it is told otherwise and no
 * browser does. A platform that terminates HTTP itself reports no version, and adds `cf-` headers of its own.
 */
export const isForwarded = ({ headers, httpVersion }: Pick<IncomingRequest, 'headers' | 'httpVersion'>): boolean => {
  if (httpVersion === '1.0') return true
  for (const name of headers.keys()) {
    if (PROXY_HEADERS.has(name) || name.startsWith('x-forwarded-')) return true
    if (httpVersion !== undefined && name.startsWith('cf-')) return true
  }
  return false
}
