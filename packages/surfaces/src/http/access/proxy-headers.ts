// Clients can forge forwarding headers, so only the part written by proxies that the operator trusts counts.
import type { IncomingRequest } from './authenticate.ts'
import { networkOf, plainAddress } from './caller-network.ts'

export interface ProxyTrust {
  /** Absent: no proxy is trusted. */
  readonly isTrustedProxy?: (address: string) => boolean
}

export interface Caller {
  readonly request: IncomingRequest
  /** For limits: the address, or the network for IPv6. */
  readonly address: string
}

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

/** Reads right to left: each proxy appends the address it saw, so everything left of an untrusted one may be forged. */
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

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (text: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text

/** A trusted proxy appends its value last. */
const lastValue = (header: string | null): string | null => header?.split(',').at(-1)?.trim() || null

const PROXY_HEADERS: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'true-client-ip', 'cdn-loop', 'fastly-client-ip'],
  ...['x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-original-host', 'x-envoy-external-address'],
])

/** True if a header or HTTP/1.0 reveals a proxy: nginx uses 1.0 by default, and no browser does. */
export const isForwarded = ({ headers, httpVersion }: Pick<IncomingRequest, 'headers' | 'httpVersion'>): boolean => {
  if (httpVersion === '1.0') return true
  for (const name of headers.keys()) {
    if (PROXY_HEADERS.has(name) || name.startsWith('x-forwarded-')) return true
    if (httpVersion !== undefined && name.startsWith('cf-')) return true
  }
  return false
}
