// Chooses how engines are isolated on this machine, and describes the isolation that is really in place.
import { describeNetwork, type NetworkPolicy } from '../../network/network-policy.ts'
import type { SandboxNotice } from '../../remote/provider.ts'
import { describeLimits, RESOURCE_LIMITS, type ResourceLimits } from '../resources/resource-limits.ts'
import { probeBubblewrap } from './bubblewrap.ts'

/** bubblewrap is the default, and `auto` an older name of it; process: no walls, only where the operator asks for it. */
export const BACKENDS = ['auto', 'bubblewrap', 'process'] as const
/** The isolation of an engine: bubblewrap, or none (`process`); `auto` is an older name of bubblewrap. */
export type Backend = (typeof BACKENDS)[number]

export interface Isolation {
  readonly notice: SandboxNotice
  readonly isContained: boolean
}

export interface IsolationOptions {
  readonly backend?: string | undefined
  readonly bwrap?: string | undefined
  readonly network?: NetworkPolicy | undefined
  readonly limits?: ResourceLimits | undefined
}

/** Rejects with a sentence to act on where bubblewrap does not work: engines run without a sandbox only if the operator says so. */
export const resolveIsolation = async ({ bwrap, network, limits, ...wanted }: IsolationOptions): Promise<Isolation> => {
  const backend = parseBackend(wanted.backend)
  if (backend === 'process') return { notice: plainProcessNotice, isContained: false }
  const missing = await probeBubblewrap(bwrap)
  if (missing !== null)
    throw new Error(
      `No sandbox can be started: ${missing}. Install bubblewrap, or set BRIDLE_SANDBOX=process to run engines without walls: what they run can then read the server's files and keys.`,
    )
  const isolation = `own files, processes and user; ${describeNetwork(network ?? 'none')}; ${describeLimits(limits ?? RESOURCE_LIMITS)}`
  return { notice: { requestedBackend: backend, resolvedBackend: 'bubblewrap', isolation }, isContained: true }
}

export const parseBackend = (named = 'bubblewrap'): Backend => {
  const backend = BACKENDS.find((each) => each === named)
  if (!backend) throw new Error(`BRIDLE_SANDBOX is "${named}"; it may be bubblewrap or process.`)
  return backend
}

const plainProcessNotice: SandboxNotice = {
  requestedBackend: 'process',
  resolvedBackend: 'process',
  isolation: 'none',
  reason: 'a plain process was asked for: what the agent runs can read whatever its user can, keys included',
}
