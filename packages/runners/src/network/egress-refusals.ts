// The refusals of the egress proxy, each with its status and a text for the agent that reads it.
import type { ConnectionFailure } from './checked-connection.ts'
import { type Destination, formatHost } from './destination.ts'
import { parseNetworkPolicy } from './network-policy.ts'

export type EgressRefusal = 'bad_request' | 'not_allowed' | 'too_many_connections' | ConnectionFailure
export type EgressOutcome = 'connected' | EgressRefusal

export const egressRefusalStatus: { readonly [R in EgressRefusal]: number } = {
  bad_request: 400,
  not_allowed: 403,
  private_address: 403,
  name_not_found: 502,
  unreachable: 502,
  timeout: 504,
  too_many_connections: 503,
}

/** The host is one that was parsed, so it carries no line break and no markup. */
export const egressRefusalText = (refusal: EgressRefusal, { host, port }: Destination): string => {
  const name = formatHost(host)
  return {
    bad_request: `The request for ${name} is not valid HTTP.`,
    not_allowed: `This sandbox may not reach ${name}:${port}${advice(name, port)}`,
    private_address: `${name} has a private address, which no sandbox reaches; network: { allow: [...] } opens public hosts only.`,
    name_not_found: `The name ${name} could not be resolved.`,
    unreachable: `${name}:${port} could not be reached, or broke off.`,
    timeout: `${name}:${port} did not answer in time.`,
    too_many_connections: 'The sandbox has too many connections.',
  }[refusal]
}

/** Suggests only settings that Bridle accepts: the agent repeats the text to a person. */
const advice = (name: string, port: number): string => {
  const entry = port === 443 || port === 80 ? name : `${name}:${port}`
  try {
    parseNetworkPolicy({ allow: [entry] })
    return `. An operator opens it with network: { allow: ['${entry}'] }.`
  } catch {
    return '; network: { allow: [...] } opens public hosts only.'
  }
}
