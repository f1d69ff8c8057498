// The hosts that a sandbox may reach: none, all, or a list of names. An address is never a way around a name.

import { isIPv4 } from 'node:net'
import { domainToASCII } from 'node:url'
import { type Destination, formatHost, isNumericHost, parseDestination } from './destination.ts'
import { isPrivateAddress } from './private-addresses.ts'

/** Each request is compared with every entry; a longer list is a mistake. */
const POLICY_ENTRIES_MAX = 1_000
/** A notice is one short line; further hosts are counted. */
const POLICY_HOSTS_SHOWN = 8

/** `allow` has host names (`api.github.com`), names with `*.` in front, and public addresses, each with an optional port. */
export type NetworkPolicy = 'none' | 'host' | { readonly allow: readonly string[] }

/** An entry without a port opens https and http, which is what a person means by a host name. */
const DEFAULT_PORTS = [443, 80]

/** Absent is 'none'. Throws a sentence that says how to write it. */
export const parseNetworkPolicy = (input: unknown): NetworkPolicy => {
  if (input === undefined || input === null) return 'none'
  if (input === 'none' || input === 'host') return input
  if (typeof input !== 'object' || !('allow' in input) || !Array.isArray(input.allow)) {
    throw new Error("network must be 'none', 'host' or { allow: ['api.github.com'] }.")
  }
  const other = Object.keys(input).find((key) => key !== 'allow')
  if (other !== undefined) throw new Error(`network has no setting "${other}". Write network: { allow: [...] }.`)
  if (input.allow.length > POLICY_ENTRIES_MAX) throw new Error(`network.allow may have ${POLICY_ENTRIES_MAX} entries.`)
  return { allow: [...new Set(input.allow.map((entry) => formatEntry(parseEntry(entry))))] }
}

/** Whether the policy opens a host and port. Private addresses are refused later, when the name is resolved. */
export const destinationCheck = (policy: NetworkPolicy): ((destination: Destination) => boolean) => {
  if (policy === 'none') return () => false
  if (policy === 'host') return () => true
  const entries = policy.allow.map(parseEntry)
  return ({ host, port }) =>
    entries.some((entry) => {
      const isPort = entry.port === null ? DEFAULT_PORTS.includes(port) : entry.port === port
      return isPort && (entry.isWildcard ? host.endsWith(`.${entry.host}`) : host === entry.host)
    })
}

/** A few words for people: "no network", "only api.github.com, *.npmjs.org", "the host's network". */
export const describeNetwork = (policy: NetworkPolicy): string => {
  if (policy === 'host') return "the host's network"
  if (policy === 'none' || policy.allow.length === 0) return 'no network'
  const rest = policy.allow.length - POLICY_HOSTS_SHOWN
  return `only ${policy.allow.slice(0, POLICY_HOSTS_SHOWN).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

interface AllowedHost {
  /** Null = 443 and 80. */
  readonly port: number | null
  readonly host: string
  /** The names below `host`, not `host` itself. */
  readonly isWildcard: boolean
}

const parseEntry = (entry: unknown): AllowedHost => {
  const wrong = (advice: string) => new Error(`network.allow has ${JSON.stringify(entry)?.slice(0, 300)}. ${advice}`)
  const advice = 'Write a host name such as "api.github.com", "*.npmjs.org" or "git.example.com:8443".'
  if (typeof entry !== 'string') throw wrong(advice)
  const isWildcard = entry.startsWith('*.')
  const [, name = '', port] = /^(.*?)(:\d+)?$/s.exec(isWildcard ? entry.slice(2) : entry) ?? []
  // People write names in their own alphabet; programs ask for them in ASCII.
  const ascii = /[^\0-\x7f]/.test(name) ? domainToASCII(name) : name
  const parsed = parseDestination(`${ascii}${port ?? ''}`, 443)
  if (!parsed) throw wrong(advice)
  const { host } = parsed
  const isAddress = isIPv4(host) || host.includes(':')
  if (isAddress && isWildcard) throw wrong('An address has no subdomains.')
  if (isAddress && isPrivateAddress(host)) throw wrong('A private address is never reached from a sandbox.')
  if (!isAddress && isNumericHost(host)) throw wrong('Write an IPv4 address as four decimal numbers.')
  if (host === 'localhost' || host.endsWith('.localhost')) throw wrong('This machine is never reached from a sandbox.')
  if (isWildcard && !host.includes('.')) throw wrong('A wildcard needs a domain of its own, such as "*.npmjs.org".')
  return { host, isWildcard, port: port === undefined ? null : parsed.port }
}

const formatEntry = ({ host, port, isWildcard }: AllowedHost): string =>
  `${isWildcard ? '*.' : ''}${formatHost(host)}${port === null ? '' : `:${port}`}`
