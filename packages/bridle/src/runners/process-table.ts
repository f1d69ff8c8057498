// The processes of this machine, as /proc has them, or `ps` where there is none: which one a number means, and which
// carry a mark in their environment. Whatever a process starts inherits it, so they are found when its parent is gone.
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs'

const hasProc = existsSync('/proc/self/stat')

/** With it a number is one process for ever. Null: there is none, or only what its parent has not collected yet. */
export const startTimeOf = (pid: number): string | null => (hasProc ? fromProc(pid) : fromPs(pid))

/** Others than ourselves that are alive and whose environment is such. Where there is no /proc, none is found. */
export const processesWhere = (isSuch: (environment: readonly string[]) => boolean): number[] => {
  if (!hasProc) return []
  return pids().filter((pid) => pid !== process.pid && isSuch(environmentOf(pid)) && fromProc(pid) !== null)
}

/** A process as the kernel counts it: a group of threads with one memory. */
export interface ProcessEntry {
  readonly pid: number
  readonly parentPid: number
  /** The process that began its session; a process keeps it when its parent ends. */
  readonly sessionPid: number
  /** As `startTimeOf` gives it. */
  readonly startedAt: string
  readonly threads: number
  /** A person may sit at it. */
  readonly hasTerminal: boolean
  readonly residentBytes: number
  /** Where its files in /proc are; those of a main thread that has ended, while others run on, are empty. */
  readonly folder: string
}

/** All that are alive, ourselves too. Where there is no /proc, none. */
export const listProcesses = (): ProcessEntry[] => (hasProc ? pids().flatMap((pid) => readEntry(pid) ?? []) : [])

/**
 * Others than ourselves, without a terminal, whose current folder, root or program lies in one of the folders. Where there is
 * no /proc, none.
 */
export const processesInside = (folders: readonly string[]): number[] => {
  if (!hasProc) return []
  const places = folders.flatMap((folder) => [folder, realPath(folder)]).map((folder) => folder.replace(/\/+$/, ''))
  const isInside = (path: string) => places.some((place) => path === place || path.startsWith(`${place}/`))
  return listProcesses()
    .filter(
      ({ pid, folder, hasTerminal }) =>
        pid !== process.pid && !hasTerminal && ['cwd', 'root', 'exe'].some((link) => isInside(linkOf(folder, link))),
    )
    .map(({ pid }) => pid)
}

/** At once and for certain; a negative number means the group. */
export const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process ended first.
  }
}

const pids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)

const environmentOf = (pid: number): readonly string[] => {
  try {
    return readFileSync(`${readEntry(pid)?.folder ?? `/proc/${pid}`}/environ`, 'latin1').split('\0')
  } catch {
    // Gone meanwhile, or somebody else's.
    return []
  }
}

const linkOf = (folder: string, name: string): string => {
  try {
    return readlinkSync(`${folder}/${name}`)
  } catch {
    // Gone meanwhile, or somebody else's.
    return ''
  }
}

const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Ticks count from the start of the system, so which start that was belongs to it. */
const fromProc = (pid: number): string | null => readEntry(pid)?.startedAt ?? null

/** Null: there is none, or only what its parent has not collected yet. */
const readEntry = (pid: number): ProcessEntry | null => {
  const fields = statOf(`/proc/${pid}`)
  if (fields === null) return null
  const [state = '', parentPid, , sessionPid, terminal] = fields
  const threads = Number(fields[17])
  const startedAt = `${bootId()}/${fields[19]}`
  const entry = {
    pid,
    parentPid: Number(parentPid),
    sessionPid: Number(sessionPid),
    startedAt,
    threads,
    hasTerminal: terminal !== '0',
  }
  if (!isDead(state)) return { ...entry, residentBytes: Number(fields[21]) * pageBytes(), folder: `/proc/${pid}` }
  // A main thread may end before the others: it looks like a dead process that has threads.
  if (threads <= 1) return null
  for (const folder of threadFolders(pid)) {
    const [threadState = 'X', ...rest] = statOf(folder) ?? []
    if (!isDead(threadState)) return { ...entry, residentBytes: Number(rest[20]) * pageBytes(), folder }
  }
  return null
}

const isDead = (state: string): boolean => state === 'Z' || state === 'X'

const threadFolders = (pid: number): string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)
  } catch {
    return []
  }
}

/** Shared by all reads: a look at the whole table reads hundreds of these files. */
const statBytes = hasProc ? Buffer.alloc(4_096) : Buffer.alloc(0)

/** The fields behind the name, of which the state is the first. */
const statOf = (folder: string): string[] | null => {
  let file: number | null = null
  try {
    file = openSync(`${folder}/stat`, 'r')
    const stat = statBytes.toString('latin1', 0, readSync(file, statBytes))
    // The name may hold anything, brackets too; behind the last one the fields are plain.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  } finally {
    if (file !== null) closeSync(file)
  }
}

let knownPageBytes: number | null = null
/** The kernel tells it to each program at its start, as entry 6 of a list of pairs. */
const pageBytes = (): number => {
  if (knownPageBytes !== null) return knownPageBytes
  knownPageBytes = 4_096
  const auxiliary = readFileSync('/proc/self/auxv')
  for (let at = 0; at + 16 <= auxiliary.length; at += 16) {
    if (auxiliary.readBigUInt64LE(at) === 6n) knownPageBytes = Number(auxiliary.readBigUInt64LE(at + 8))
  }
  return knownPageBytes
}

let knownBootId: string | null = null
const bootId = (): string => {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return knownBootId
}

/** To the second, which is close enough for a number to come round again. */
export const fromPs = (pid: number): string | null => {
  try {
    const args = ['-o', 'state=', '-o', 'lstart=', '-p', `${pid}`]
    const said = execFileSync('ps', args, {
      encoding: 'utf8',
      timeout: 5_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    return said === '' || said.startsWith('Z') ? null : said.replace(/^\S+\s+/, '')
  } catch {
    return null
  }
}
