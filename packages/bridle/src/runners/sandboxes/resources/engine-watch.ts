// Keeps engines within their limits: checks each engine once a second, and ends it when it exceeds one. With a delegated
// cgroup the kernel enforces the limits.
import { randomBytes } from 'node:crypto'
import { kill } from '../../process-table.ts'
import type { EngineStarter } from '../isolation/engine-start.ts'
import { makeSandboxCgroup, type SandboxCgroup } from './cgroup.ts'
import { endLeftovers } from './leftovers.ts'
import type { ExceededLimit, ResourceLimits } from './resource-limits.ts'
import { type ResourceWatch, watchResources } from './resource-watch.ts'

export interface EngineWatchOptions {
  readonly folders: readonly string[]
  readonly limits: ResourceLimits
  /** A delegated cgroup; absent = processes are counted. */
  readonly cgroup?: string | undefined
  /** The engine runs in a namespace of processes that bubblewrap made for it. */
  readonly isContained?: boolean
  /** Called before the engine is ended, so that the reason is known first. */
  readonly onExceeded: (exceeded: ExceededLimit) => void
}

export const withResourceWatch =
  (
    start: EngineStarter,
    { folders, limits, cgroup: parent, isContained = false, onExceeded }: EngineWatchOptions,
  ): EngineStarter =>
  (command) => {
    const cgroup = parent === undefined ? null : sandboxCgroup(parent, limits)
    const leave = () => void cgroup?.remove().catch(() => {})
    const child = startOrCleanUp(() => start(command, cgroup?.enterCommand), leave)
    const { pid } = child
    if (pid === undefined) {
      leave()
      return child
    }
    const end = (exceeded: ExceededLimit) => {
      onExceeded(exceeded)
      kill(-pid)
    }
    const watch = watchResources({ rootPid: pid, folders, limits, onExceeded: end, ...(cgroup && { cgroup }) })
    child.once('exit', () => {
      watch.stop()
      // The kernel may have ended the engine before this check.
      const exceeded = cgroup?.exceeded()
      if (exceeded) onExceeded(exceeded)
      killRemaining(watch)
      leave()
    })
    child.endLeftovers = (marked) => endLeftovers({ rootPid: pid, isContained, read: watch.processes, marked })
    return child
  }

const startOrCleanUp = <T>(start: () => T, onFailure: () => void): T => {
  try {
    return start()
  } catch (error) {
    onFailure()
    throw error
  }
}

const sandboxCgroup = (parent: string, limits: ResourceLimits): SandboxCgroup | null => {
  try {
    return makeSandboxCgroup(parent, randomBytes(8).toString('hex'), limits)
  } catch {
    // The delegation was taken back; processes are counted then.
    return null
  }
}

/** Without walls a process may leave its parent and outlive it; bubblewrap leaves none. */
const killRemaining = (watch: ResourceWatch): void => {
  for (const { pid } of watch.remainingProcesses()) kill(pid)
}
