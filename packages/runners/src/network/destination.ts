// A host and a port, in one spelling: names in lower case without a trailing dot, IPv6 addresses shortened and without
// brackets. With two spellings of one host the policy could give two answers.
import { canonicalIPv6 } from './private-addresses.ts'

/** The longest name that DNS allows. */
const HOST_CHARS_MAX = 253

export interface Destination {
  /** A name or an address. */
  readonly host: string
  readonly port: number
}

/** `host:port`; without a default the port must be there. Null: userinfo, an empty part, or characters of no host name. */
export const parseDestination = (text: string, defaultPort: number | null): Destination | null => {
  const [, bracketed, name, digits] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const host = bracketed === undefined ? parseName(name ?? '') : canonicalIPv6(bracketed)
  const port = digits === undefined ? defaultPort : Number(digits)
  if (host === null || port === null || port < 1 || port > 65_535) return null
  return { host, port }
}

/** The host as a URL has it, with the brackets of an IPv6 address. */
export const formatHost = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Some resolvers read `2130706433`, `0x7f.1` and `0177.0.0.1` as addresses; no public name ends in a number. */
export const isNumericHost = (host: string): boolean => /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(host)

const parseName = (text: string): string | null => {
  const name = text.toLowerCase().replace(/\.$/, '')
  return name.length <= HOST_CHARS_MAX && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(name) ? name : null
}
