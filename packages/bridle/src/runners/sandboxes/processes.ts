// Which process is meant. A number alone may be somebody else's by now; with its start time it is one process for ever.
// What a sandbox started carries the sandbox's id in its environment, so it is found even when its parent is gone.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ProcessName {
  readonly pid: number
  /** When it was started, as this system tells it; null = it does not tell. */
  readonly startedAt: string | null
}

/** Set for every process of a sandbox. */
export const SANDBOX_VARIABLE = 'BRIDLE_SANDBOX_ID'

/** Null: there is none, or only what its parent has not collected yet. */
export const startTimeOf = (pid: number): string | null => (hasProc ? fromProc(pid) : fromPs(pid))

/** Unknown where there is a process of this number and nobody noted which. */
export const standing = ({ pid, startedAt }: ProcessName): 'alive' | 'gone' | 'unknown' => {
  const there = startTimeOf(pid)
  if (there === null || (startedAt !== null && there !== startedAt)) return 'gone'
  return startedAt === null ? 'unknown' : 'alive'
}

/** Ends the process, its group, and whatever else the sandbox started. Whether all of it is gone. */
export const endProcesses = async (name: ProcessName, sandboxId: string, timeoutMs: number): Promise<boolean> => {
  for (let waitedMs = 0; ; waitedMs += 20) {
    const isAlive = standing(name) === 'alive'
    if (isAlive) kill(-name.pid)
    const rest = processesOf(sandboxId)
    for (const pid of rest) kill(pid)
    if (!isAlive && rest.length === 0) return standing(name) === 'gone'
    if (waitedMs >= timeoutMs) return false
    await sleep(20)
  }
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was faster.
  }
}

const processesOf = (sandboxId: string): number[] => {
  if (!hasProc) return []
  const mark = `${SANDBOX_VARIABLE}=${sandboxId}`
  const has = (pid: number) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark) && fromProc(pid) !== null
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && has(pid))
}

const hasProc = existsSync('/proc/self/stat')

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

/** Where there is no /proc; to the second, which is close enough for a number to come round again. */
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
