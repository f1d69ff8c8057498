// Processes that an engine started end with their turn: one that a turn left behind could act in the next without approval.
import { setTimeout as sleep } from 'node:timers/promises'
import { kill, namespacePids, type ProcessEntry, processEntry } from '../../process-table.ts'
import { LEFTOVER_ROUND_MS, LEFTOVER_ROUNDS } from '../limits.ts'

export interface LeftoverSearch {
  /** The process that was started for the engine: bubblewrap, or the engine itself. */
  readonly rootPid: number
  readonly isContained: boolean
  /** All processes below the root, and those that left it. */
  readonly read: () => readonly ProcessEntry[]
  /** Further processes of the engine, by number. */
  readonly marked: () => readonly number[]
}

/**
 * Kills all processes but the engine's own. Returns the number of commands that were left, not counting their children; null
 * if processes start faster than they are killed.
 */
export const endLeftovers = async (search: LeftoverSearch): Promise<number | null> => {
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
