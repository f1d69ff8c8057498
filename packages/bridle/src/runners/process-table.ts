// The processes of this machine, as /proc has them, or `ps` where there is none: which one a number means, and which
// carry a mark in their environment. Whatever a process starts inherits it, so they are found when its parent is gone.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const hasProc = existsSync('/proc/self/stat')

/** With it a number is one process for ever. Null: there is none, or only what its parent has not collected yet. */
export const startTimeOf = (pid: number): string | null => (hasProc ? fromProc(pid) : fromPs(pid))

/** Others than ourselves that are alive and whose environment is such. Where there is no /proc, none is found. */
export const processesWhere = (isSuch: (environment: readonly string[]) => boolean): number[] => {
  if (!hasProc) return []
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isSuch(environmentOf(pid)) && fromProc(pid) !== null)
}

/** At once and for certain; a negative number means the group. */
export const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was faster.
  }
}

const environmentOf = (pid: number): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    // Gone meanwhile, or somebody else's.
    return []
  }
}

/** Ticks count from the start of the system, so which start that was belongs to it. */
const fromProc = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may hold anything, brackets too; behind the last one the fields are plain.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? null : `${bootId()}/${fields[18]}`
  } catch {
    return null
  }
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
