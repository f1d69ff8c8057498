import { listProcesses, type ProcessEntry, systemText } from '../../process/process-table.ts'
import type { ProcessIdentity } from '../../process/sandbox-processes.ts'

export const processTree = (rootPid: number): { read(): readonly ProcessEntry[] } => {
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

/** The sum of resident sizes counts shared pages twice, and is cheap. The exact shares (PSS) are read only over the limit. */
export const memoryBytesOf = (entries: readonly ProcessEntry[], fileBytes: number, limit: number): number => {
  const atMost = entries.reduce((sum, { residentBytes }) => sum + residentBytes, fileBytes)
  return atMost <= limit ? atMost : entries.reduce((sum, entry) => sum + shareOf(entry, fileBytes > 0), fileBytes)
}

const shareOf = ({ folder, residentBytes }: ProcessEntry, hasFiles: boolean): number => {
  const rollup = systemText(`${folder}/smaps_rollup`)
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1] ?? 0)
  // Files in memory that are also mapped are in the sum already.
  if (rollup !== '') return (kilobytes('Pss') - (hasFiles ? kilobytes('Pss_Shmem') : 0)) * 1024
  // Another user's process, or an old kernel: without its shared pages the figure is too small, with them too large.
  const [, resident, shared] = systemText(`${folder}/statm`).split(' ').map(Number)
  return resident && shared !== undefined ? residentBytes * (1 - shared / resident) : 0
}
