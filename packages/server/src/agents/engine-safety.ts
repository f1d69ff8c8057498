// A server without a token trusts every program on its machine, so an engine could approve its own calls and read every
// session.
import type { NetworkPolicy } from '@bridle/runners/network/network-policy'
import type { Backend } from '@bridle/runners/sandboxes/isolation/isolation'

export interface EngineEnvironment {
  readonly isOpen: boolean
  readonly backend: Backend
  readonly network: NetworkPolicy
}

/** Null if engines may run; otherwise a line that includes the fix. */
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
