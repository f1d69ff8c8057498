// The processes below one process, also those that left it: a process that was seen below the root once belongs to the
// tree until it ends, and so does whatever it starts or began a session for, though it forked twice or has an empty
// environment. A process that comes, begins a session of its own and is left by its parent between two looks is not seen.
import { readFileSync } from 'node:fs'
import { listProcesses, type ProcessEntry } from '../../process-table.ts'
import type { ProcessIdentity } from '../sandbox-processes.ts'

export interface ProcessTree {
  /** Reads the process table again. */
  read(): readonly ProcessEntry[]
}

export const processTree = (rootPid: number): ProcessTree => {
  /** Start times by pid: the same pid may be another process by now. Null: not read yet. */
  let members: ReadonlyMap<number, string> | null = null
  /** Sessions that a member began. The kernel gives their number to nobody else while one of their processes lives. */
  let sessions: ReadonlySet<number> = new Set()

  const isMember = ({ pid, startedAt, sessionPid }: ProcessEntry): boolean =>
    members === null ? pid === rootPid : members.get(pid) === startedAt || sessions.has(sessionPid)

  return {
    read() {
      const all = listProcesses()
      const children = Map.groupBy(all, ({ parentPid }) => parentPid)
      const found = new Map<number, ProcessEntry>()
      const waiting = all.filter(isMember)
      for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
        if (found.has(entry.pid)) continue
        found.set(entry.pid, entry)
        waiting.push(...(children.get(entry.pid) ?? []))
      }
      const entries = [...found.values()]
      members = new Map(entries.map(({ pid, startedAt }) => [pid, startedAt]))
      const isOurs = (sessionPid: number) => sessions.has(sessionPid) || found.has(sessionPid)
      sessions = new Set(entries.map(({ sessionPid }) => sessionPid).filter(isOurs))
      return entries
    },
  }
}

export const processIdentities = (entries: readonly ProcessEntry[]): ProcessIdentity[] =>
  entries.map(({ pid, startedAt }) => ({ pid, startedAt }))

/**
 * The memory of processes together, with what they have in files in memory. Resident sizes count a shared page once for
 * each process, so their sum is at least the true figure, and is cheap to read. Only where it is over the limit are the
 * shares (PSS) read, which divide each shared page among its users and cost a walk through the page tables.
 */
export const memoryBytesOf = (entries: readonly ProcessEntry[], fileBytes: number, limit: number): number => {
  const atMost = entries.reduce((sum, { residentBytes }) => sum + residentBytes, fileBytes)
  return atMost <= limit ? atMost : entries.reduce((sum, entry) => sum + shareOf(entry, fileBytes > 0), fileBytes)
}

const shareOf = ({ folder, residentBytes }: ProcessEntry, hasFiles: boolean): number => {
  const rollup = read(`${folder}/smaps_rollup`)
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1] ?? 0)
  // Files in memory that are also mapped are in the sum already.
  if (rollup !== '') return (kilobytes('Pss') - (hasFiles ? kilobytes('Pss_Shmem') : 0)) * 1024
  // Another user's process, or an old kernel: without its shared pages the figure is too small, with them too large.
  const [, resident, shared] = read(`${folder}/statm`).split(' ').map(Number)
  return resident && shared !== undefined ? residentBytes * (1 - shared / resident) : 0
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    // The process ended meanwhile.
    return ''
  }
}
