// Checks once a second what a sandbox uses, and reports the first limit that is exceeded. With a cgroup the kernel limits memory and
// threads; elsewhere processes are counted in /proc. Disk is always measured. Peaks between two checks are missed.

import { listProcesses, type ProcessEntry, systemText } from '../../process/process-table.ts'
import type { ProcessIdentity } from '../../process/sandbox-processes.ts'
import type { SandboxCgroup } from './cgroup.ts'
import { measureFolders, type UnlinkedFileBytes, unlinkedFileBytes } from './disk-usage.ts'
import { type ExceededLimit, type ResourceLimits, threadsMax } from './resource-limits.ts'

/** A look takes 10 ms of processor time on a machine with 430 processes, 300 of them in the sandbox. */
const SAMPLE_MS = 1_000
/** Neither counting nor measuring takes more than about a tenth of the time. */
const PAUSE_FACTOR = 10
/** A disk fills more slowly than memory, and measuring it starts a program. */
const DISK_SAMPLES = 3
/** `du` reads a few million files in that time. */
const DISK_MEASURE_MS = 300_000
/** A first walk over a cold disk may be slow. Folders that take that long twice hold more than a limit allows. */
const DISK_TIMEOUTS_MAX = 2

export interface ResourceWatchOptions {
  readonly rootPid: number
  /** The folders whose size counts, as one sum. */
  readonly folders: readonly string[]
  readonly limits: ResourceLimits
  /** Called at most once, before the engine is ended, so that the reason is known first. */
  readonly onExceeded: (exceeded: ExceededLimit) => void
  readonly sampleMs?: number
  /** Absent = the processes are counted in /proc. */
  readonly cgroup?: SandboxCgroup
  readonly measureMs?: number
}

export interface ResourceUsage {
  /** Shared pages count once for each process unless the sum is near the limit. */
  readonly memoryBytes: number
  readonly processes: number
  readonly threads: number
  /** Null: not measured yet. */
  readonly workBytes: number | null
}

export interface ResourceWatch {
  stop(): void
  usage(): ResourceUsage
  /** The sandbox's processes that are alive now; works also after `stop`. */
  remainingProcesses(): readonly ProcessIdentity[]
  /** The same, as /proc has them. */
  processes(): readonly ProcessEntry[]
}

export const watchResources = (options: ResourceWatchOptions): ResourceWatch => {
  const { rootPid, folders, limits, cgroup, sampleMs = SAMPLE_MS, measureMs = DISK_MEASURE_MS } = options
  const tree = processTree(rootPid)
  let usage: ResourceUsage = { memoryBytes: 0, processes: 0, threads: 0, workBytes: null }
  let entries = tree.read()
  let nameless: UnlinkedFileBytes = { memoryBytes: 0, diskBytes: 0 }
  let isReported = false
  let isStopped = false
  let stopMeasuring = () => {}
  const timers = new Set<NodeJS.Timeout>()

  const again = (work: () => void, startedMs: number, everyMs = sampleMs) => {
    if (isStopped) return
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        work()
      },
      Math.max(everyMs, PAUSE_FACTOR * (performance.now() - startedMs)),
    )
    timers.add(timer.unref())
  }

  const exceed = (exceeded: ExceededLimit | null) => {
    if (exceeded === null || isReported || isStopped) return
    isReported = true
    options.onExceeded(exceeded)
  }

  const sample = () => {
    const startedMs = performance.now()
    entries = tree.read()
    const counted = cgroup?.usage() ?? {
      memoryBytes: memoryBytesOf(entries, nameless.memoryBytes, limits.memoryBytes),
      processes: entries.length,
      threads: entries.reduce((sum, { threads }) => sum + threads, 0),
    }
    usage = { ...usage, ...counted }
    // A cgroup also counts files that the kernel keeps in memory while there is room: it rules on memory and threads itself.
    exceed(cgroup ? cgroup.exceeded() : over('memory', counted.memoryBytes, limits.memoryBytes))
    exceed(over('processes', counted.processes, limits.processes))
    if (!cgroup) exceed(over('threads', counted.threads, threadsMax(limits)))
    again(sample, startedMs)
  }

  const lookForNameless = () => {
    const startedMs = performance.now()
    nameless = unlinkedFileBytes(entries)
    // The last measurement does not count here: it may include a file that has lost its name since.
    exceed(over('disk', nameless.diskBytes, limits.workBytes))
    again(lookForNameless, startedMs)
  }

  let timeouts = 0
  const measure = async () => {
    if (folders.length === 0) return
    const startedMs = performance.now()
    const measurement = measureFolders(folders, measureMs)
    stopMeasuring = measurement.stop
    // Files that have no name when the measurement begins are not part of it.
    const { diskBytes } = nameless
    const bytes = await measurement.bytes
    timeouts = bytes === 'timeout' ? timeouts + 1 : 0
    if (typeof bytes === 'number') {
      const workBytes = bytes + diskBytes
      usage = { ...usage, workBytes }
      exceed(over('disk', workBytes, limits.workBytes))
    } else if (timeouts >= DISK_TIMEOUTS_MAX) {
      exceed({ resource: 'disk', used: null, limit: limits.workBytes })
    }
    again(measure, startedMs, sampleMs * DISK_SAMPLES)
  }

  lookForNameless()
  sample()
  void measure()
  return {
    stop() {
      isStopped = true
      for (const timer of timers) clearTimeout(timer)
      stopMeasuring()
    },
    usage: () => usage,
    remainingProcesses: () => processIdentities(tree.read()),
    processes: () => tree.read(),
  }
}

const over = (resource: ExceededLimit['resource'], used: number, limit: number): ExceededLimit | null =>
  used > limit ? { resource, used, limit } : null

const processTree = (rootPid: number): { read(): readonly ProcessEntry[] } => {
  /** Start times by pid: the same pid may belong to another process. Null: not read yet. */
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

const processIdentities = (entries: readonly ProcessEntry[]): ProcessIdentity[] =>
  entries.map(({ pid, startedAt }) => ({ pid, startedAt }))

/** The sum of resident sizes counts shared pages twice, and is cheap. The exact shares (PSS) are read only over the limit. */
const memoryBytesOf = (entries: readonly ProcessEntry[], fileBytes: number, limit: number): number => {
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
