// Decides whether an engine may run beside a server without a token. Such a server trusts every program of its machine, and an engine
// runs programs: an engine that could reach the server could approve its own calls and read every session.
import type { NetworkPolicy } from '@bridle/runners/network/network-policy'
import type { Backend } from '@bridle/runners/sandboxes/isolation/isolation'

export interface EngineEnvironment {
  /** The server requires no token. */
  readonly isOpen: boolean
  readonly backend: Backend
  readonly network: NetworkPolicy
}

/** The problem and what to do, in one line; null = an engine may run. */
export const engineSafetyProblem = ({ isOpen, backend, network }: EngineEnvironment): string | null => {
  const reason = !isOpen
    ? null
    : backend === 'process'
      ? 'with the sandbox "process"'
      : network === 'host'
        ? 'with the network "host"'
        : null
  return reason === null
    ? null
    : `Set FABRIC_HARNESS_API_TOKEN or start with --token: ${reason} an engine can reach this server, which asks nobody for a token.`
}
