// Whether an engine may run beside a server without a token. Such a server takes every program of its machine for its user, and an
// engine runs programs: one that could reach the server could approve its own calls and read every session.
import type { NetworkPolicy } from '../../runners/network/network-policy.ts'
import type { Backend } from '../../runners/sandboxes/isolation/isolation.ts'

export interface EngineEnvironment {
  /** The server asks nobody for a credential. */
  readonly isOpen: boolean
  readonly backend: Backend
  readonly network: NetworkPolicy
}

/** The line that says what to do; null = an engine may run. */
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
