// Checks each engine once a second and ends it when it exceeds a limit. A delegated cgroup enforces the limits in the kernel.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryOr } from '@bridle/kernel/try-or'
import { kill, namespacePids, type ProcessEntry, processEntry } from '../../process/process-table.ts'
import type { EngineStarter } from '../isolation/engine-start.ts'
import { makeSandboxCgroup, type SandboxCgroup } from './cgroup.ts'
import type { ExceededLimit, ResourceLimits } from './resource-limits.ts'
import { type ResourceWatch, type ResourceWatchOptions, watchResources } from './resource-watch.ts'

/** A killed process is gone within milliseconds. A command that still starts others after all rounds does so on purpose. */
const LEFTOVER_ROUNDS = 100
const LEFTOVER_ROUND_MS = 20

export interface EngineWatchOptions extends Pick<ResourceWatchOptions, 'folders' | 'limits' | 'onExceeded'> {
  /** A delegated cgroup; absent = processes are counted. */
  readonly cgroup?: string | undefined
  /** The engine runs in a namespace of processes that bubblewrap made for it. */
  readonly isContained?: boolean
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

// The delegation was taken back; processes are counted then.
const sandboxCgroup = (parent: string, limits: ResourceLimits): SandboxCgroup | null =>
  tryOr(null, () => makeSandboxCgroup(parent, randomBytes(8).toString('hex'), limits))

/** Without walls a process may leave its parent and outlive it; bubblewrap leaves none. */
const killRemaining = (watch: ResourceWatch): void => {
  for (const { pid } of watch.remainingProcesses()) kill(pid)
}

interface LeftoverSearch {
  /** The process that was started for the engine: bubblewrap, or the engine itself. */
  readonly rootPid: number
  readonly isContained: boolean
  /** All processes below the root, and those that left it. */
  readonly read: () => readonly ProcessEntry[]
  readonly marked: () => readonly number[]
}

// A process that a turn left behind could act in the next one without approval.
/** Kills all processes but the engine's. Returns the number of commands; null = processes start faster than they are killed. */
const endLeftovers = async (search: LeftoverSearch): Promise<number | null> => {
  let commands: number | null = null
  for (let round = 0; round < LEFTOVER_ROUNDS; round++) {
    const left = leftProcesses(search)
    for (const { pid } of left) kill(pid)
    if (left.length === 0) return commands ?? 0
    commands ??= countCommands(left)
    await sleep(LEFTOVER_ROUND_MS)
  }
  return null
}

const leftProcesses = ({ rootPid, isContained, read, marked }: LeftoverSearch): ProcessEntry[] => {
  const found = new Map(read().map((entry) => [entry.pid, entry]))
  for (const pid of marked()) {
    const entry = found.get(pid) ?? processEntry(pid)
    if (entry) found.set(pid, entry)
  }
  const depth = namespacePids(rootPid).length
  return [...found.values()].filter(({ pid }) => pid !== rootPid && !(isContained && isSandboxOwn(pid, depth)))
}

/** In the namespace that bubblewrap made, process 1 is its own and process 2 became the engine. */
const isSandboxOwn = (pid: number, depth: number): boolean => {
  const pids = namespacePids(pid)
  return pids.length === depth + 1 && (pids.at(-1) ?? 0) <= 2
}

/** A command and its children are one. */
const countCommands = (left: readonly ProcessEntry[]): number => {
  const pids = new Set(left.map(({ pid }) => pid))
  return left.filter(({ parentPid }) => !pids.has(parentPid)).length
}
