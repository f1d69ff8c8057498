// A process beside the benchmark, asked over its channel: what it uses can be read apart from everybody else.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface ChildHandle {
  call<T>(name: string, given?: unknown): Promise<T>
  stop(): Promise<void>
}

type CallTable = { readonly [name: string]: (given: never) => unknown }
type ChildCall = { readonly id: number; readonly name: string; readonly given: unknown }
type ChildReply = { readonly id: number; readonly value?: unknown; readonly error?: string }

/** Longer than any call may take; then the benchmark has failed. */
const CALL_MS = 60_000
const STOP_MS = 3_000

export const startChild = (
  file: string,
  { names = [], flags = [] }: { readonly names?: readonly string[]; readonly flags?: readonly string[] } = {},
): ChildHandle => {
  const path = fileURLToPath(new URL(file, import.meta.url))
  // Without our package condition: a rival's packages may know the same word.
  const child = fork(path, names, { execArgv: ['--expose-gc', ...flags], serialization: 'advanced' })
  const asked = new Map<number, (answer: ChildReply) => void>()
  let last = 0
  child.on('message', (answer: ChildReply) => asked.get(answer.id)?.(answer))
  child.on('exit', (code) => {
    for (const [id, settle] of asked) settle({ id, error: `${file} ${names.join(' ')} ended with ${code}` })
  })
  return {
    call: <T>(name: string, given?: unknown) =>
      new Promise<T>((resolve, reject) => {
        const id = ++last
        const settle = ({ value, error }: ChildReply) => {
          clearTimeout(timer)
          asked.delete(id)
          if (error === undefined) resolve(value as T)
          else reject(new Error(error))
        }
        const timer = setTimeout(() => settle({ id, error: `${names.join(' ')}: ${name} took too long` }), CALL_MS)
        asked.set(id, settle)
        child.send({ id, name, given } satisfies ChildCall)
      }),
    // Asked first, for what it leaves behind it must take along: files, and processes of its own.
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

/** The other side: answers calls until the parent is gone. Then whatever it has started goes too. */
export const serveCalls = (calls: CallTable): void => {
  process.on('exit', endChildren)
  process.on('disconnect', async () => {
    endChildren()
    // Seen off, not left behind as the dead that somebody else must count.
    while (existsSync('/proc') && ownChildren().length > 0) await sleep(10)
    process.exit()
  })
  process.on('message', async ({ id, name, given }: ChildCall) => {
    const reply = (told: ChildReply) => process.send?.(told)
    try {
      reply({ id, value: await calls[name]!(given as never) })
    } catch (error) {
      reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
}

export interface ProcessUsage {
  /** User and system time of this process and of those named, in microseconds. */
  readonly cpuUs: number
  /** Of this process alone. */
  readonly rssBytes: number
}

export const usage = (others: readonly number[] = []): ProcessUsage => {
  const { user, system } = process.cpuUsage()
  const theirs = others.reduce((sum, pid) => sum + ticksOf(pid) * TICK_US, 0)
  return { cpuUs: user + system + theirs, rssBytes: process.memoryUsage.rss() }
}

/** What the kernel counts in, whatever its own clock does. */
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
    // It ended while we looked.
    return false
  }
}

/** What `/proc` tells behind the name, which may itself have blanks: state, parent, … */
const statOf = (pid: number): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
