// A process beside the benchmark, called over its channel, so that its processor time and memory are measured alone.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface ChildHandle {
  call<T>(name: string, argument?: unknown): Promise<T>
  stop(): Promise<void>
}

type CallTable = { readonly [name: string]: (argument: never) => unknown }
type ChildCall = { readonly id: number; readonly name: string; readonly argument: unknown }
type ChildReply = { readonly id: number; readonly value?: unknown; readonly error?: string }

/** Longer than any call takes; after it the benchmark has failed. */
const CALL_MS = 60_000
const STOP_MS = 3_000

export const startChild = (
  file: string,
  { names = [], flags = [] }: { readonly names?: readonly string[]; readonly flags?: readonly string[] } = {},
): ChildHandle => {
  const path = fileURLToPath(new URL(file, import.meta.url))
  // Without the condition `bridle-source`: the packages of a rival resolve as published.
  const child = fork(path, names, { execArgv: ['--expose-gc', ...flags], serialization: 'advanced' })
  const pending = new Map<number, (answer: ChildReply) => void>()
  let last = 0
  child.on('message', (answer: ChildReply) => pending.get(answer.id)?.(answer))
  child.on('exit', (code) => {
    for (const [id, settle] of pending) settle({ id, error: `${file} ${names.join(' ')} ended with ${code}` })
  })
  return {
    call: <T>(name: string, argument?: unknown) =>
      new Promise<T>((resolve, reject) => {
        const id = ++last
        const settle = ({ value, error }: ChildReply) => {
          clearTimeout(timer)
          pending.delete(id)
          if (error === undefined) resolve(value as T)
          else reject(new Error(error))
        }
        const timer = setTimeout(() => settle({ id, error: `${names.join(' ')}: ${name} took too long` }), CALL_MS)
        pending.set(id, settle)
        child.send({ id, name, argument } satisfies ChildCall)
      }),
    // A request before the signal: the child removes its files and ends its processes.
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      if (child.connected) child.disconnect()
      await gone
      clearTimeout(timer)
    },
  }
}

/** The child's side: answers calls until the parent is gone, then ends the processes that it started. */
export const serveCalls = (calls: CallTable): void => {
  process.on('exit', endChildren)
  process.on('disconnect', async () => {
    endChildren()
    // Wait for each: an unreaped process would count in another process's time.
    while (existsSync('/proc') && ownChildren().length > 0) await sleep(10)
    process.exit()
  })
  process.on('message', async ({ id, name, argument }: ChildCall) => {
    const reply = (message: ChildReply) => process.send?.(message)
    try {
      reply({ id, value: await calls[name]!(argument as never) })
    } catch (error) {
      reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
}

export interface ProcessUsage {
  /** User and system time of this process and the given ones, in microseconds. */
  readonly cpuUs: number
  /** User and system time of this process alone. */
  readonly rssBytes: number
}

export const usage = (others: readonly number[] = []): ProcessUsage => {
  const { user, system } = process.cpuUsage()
  const theirs = others.reduce((sum, pid) => sum + ticksOf(pid) * TICK_US, 0)
  return { cpuUs: user + system + theirs, rssBytes: process.memoryUsage.rss() }
}

/** Ticks per second in `/proc`, independent of the kernel's timer. */
const TICK_US = 10_000

/** User and system time of a process with all its threads, and of the children it has waited for. */
const ticksOf = (pid: number): number => {
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = statOf(pid).slice(11, 15).map(Number)
  return user + system + childUser + childSystem
}

/** The processes that this one has started and that still run. */
export const ownChildren = (): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isChild(pid))

const endChildren = (): void => {
  if (!existsSync('/proc')) return
  for (const pid of ownChildren()) process.kill(pid, 'SIGKILL')
}

const isChild = (pid: number): boolean => {
  try {
    return Number(statOf(pid)[1]) === process.pid
  } catch {
    // The process ended in the meantime.
    return false
  }
}

/** The fields of `/proc/<pid>/stat` after the name, which may contain blanks: state, parent, … */
const statOf = (pid: number): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
