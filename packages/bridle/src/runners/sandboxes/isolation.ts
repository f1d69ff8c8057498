// Which walls engines have on this machine, and what is said about them: never more than was had.
import { probeBubblewrap } from './bubblewrap.ts'
import type { SandboxNotice } from './provider.ts'

/** bubblewrap is the default, and `auto` an older name of it; process: no walls, for whoever says so. */
export const BACKENDS = ['auto', 'bubblewrap', 'process'] as const
export type Backend = (typeof BACKENDS)[number]

export interface Isolation {
  readonly notice: SandboxNotice
  readonly isContained: boolean
}

/** Rejects with a sentence where bubblewrap was not refused and does not work: an engine never runs without walls unasked. */
export const resolveIsolation = async (named: string | undefined, bwrap?: string): Promise<Isolation> => {
  const backend = parseBackend(named)
  if (backend === 'process') return { notice: plain, isContained: false }
  const missing = await probeBubblewrap(bwrap)
  if (missing !== null)
    throw new Error(
      `No sandbox can be started: ${missing}. Install bubblewrap, or set BRIDLE_SANDBOX=process to run engines without walls: what they run can then read the server's files and keys.`,
    )
  return { notice: { requestedBackend: backend, ...boxed }, isContained: true }
}

export const parseBackend = (named = 'bubblewrap'): Backend => {
  const backend = BACKENDS.find((each) => each === named)
  if (!backend) throw new Error(`BRIDLE_SANDBOX is "${named}"; it may be bubblewrap or process.`)
  return backend
}

const plain: SandboxNotice = {
  requestedBackend: 'process',
  resolvedBackend: 'process',
  isolation: 'none',
  reason: 'a plain process was asked for: what the agent runs can read whatever its user can, keys included',
}

const boxed = {
  resolvedBackend: 'bubblewrap',
  isolation: 'own files, processes, user and network',
}
