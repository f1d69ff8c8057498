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
import { tryOr } from '@bridle/kernel/try-or'

const hasProc = existsSync('/proc/self/stat')

/** The start time tells a process from a later one with the same pid. Null: no such process, or only a zombie. */
export const startTimeOf = (pid: number): string | null => (hasProc ? fromProc(pid) : fromPs(pid))

/** Live processes with such an environment, except this one. Without /proc the list is empty. */
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
  /** The start time in the format of `startTimeOf`. */
  readonly startedAt: string
  readonly threads: number
  /** The process has a terminal, so a person may be using it. */
  readonly hasTerminal: boolean
  readonly residentBytes: number
  /** The folder of its files in /proc. Where the main thread has ended first, the folder of another thread. */
  readonly folder: string
}

/** All live processes, including this one. Without /proc the list is empty. */
export const listProcesses = (): ProcessEntry[] => (hasProc ? pids().flatMap((pid) => readEntry(pid) ?? []) : [])

/** Null: no such process, only a zombie, or no /proc. */
export const processEntry = (pid: number): ProcessEntry | null => (hasProc ? readEntry(pid) : null)

/** The numbers of a process: in our own namespace of processes, and in each one inside of it. Empty without /proc. */
export const namespacePids = (pid: number): readonly number[] => {
  try {
    return (/^NSpid:(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '')
      .trim()
      .split(/\s+/)
      .map(Number)
  } catch {
    return []
  }
}

/** Processes without a terminal, except this one, whose current folder, root or program is in a folder. None without /proc. */
export const processesInside = (folders: readonly string[]): number[] => {
  if (!hasProc) return []
  const places = folders
    .flatMap((folder) => [folder, tryOr(folder, () => realpathSync(folder))])
    .map((folder) => folder.replace(/\/+$/, ''))
  const isInside = (path: string) => places.some((place) => path === place || path.startsWith(`${place}/`))
  return listProcesses()
    .filter(
      ({ pid, folder, hasTerminal }) =>
        pid !== process.pid && !hasTerminal && ['cwd', 'root', 'exe'].some((link) => isInside(linkOf(folder, link))),
    )
    .map(({ pid }) => pid)
}

/** Sends SIGKILL; a negative number means the process group. */
export const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process ended first.
  }
}

/** The text of a file of the kernel; empty where it is gone, or belongs to another user. */
export const systemText = (file: string): string => tryOr('', () => readFileSync(file, 'latin1'))

const pids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)

// The process has ended, or belongs to another user.
const environmentOf = (pid: number): readonly string[] =>
  tryOr([], () => readFileSync(`${readEntry(pid)?.folder ?? `/proc/${pid}`}/environ`, 'latin1').split('\0'))

// The process has ended, or belongs to another user.
const linkOf = (folder: string, name: string): string => tryOr('', () => readlinkSync(`${folder}/${name}`))

/** Ticks count from the boot of the system, so the boot id is part of the text. */
const fromProc = (pid: number): string | null => readEntry(pid)?.startedAt ?? null

/** Null: there is no such process, or only a zombie. */
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

const threadFolders = (pid: number): string[] =>
  tryOr([], () => readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`))

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
/** The kernel passes the page size to each program at its start, as entry 6 of the auxiliary vector. */
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

/** The start time to the second: no pid is used again within one. */
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
