// A process beside the benchmark, asked over its channel: what it uses can be read apart from everybody else.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface Child {
  call<T>(name: string, given?: unknown): Promise<T>
  stop(): Promise<void>
}

type Calls = { readonly [name: string]: (given: never) => unknown }
type Question = { readonly id: number; readonly name: string; readonly given: unknown }
type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string }

/** Longer than any call may take; then the benchmark has failed. */
const CALL_MS = 60_000

export function start(
  file: string,
  { names = [], flags = [] }: { readonly names?: readonly string[]; readonly flags?: readonly string[] } = {},
): Child {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const execArgv = ['--conditions=source', '--expose-gc', ...flags]
  const child = fork(path, names, { execArgv, serialization: 'advanced' })
  const asked = new Map<number, (answer: Answer) => void>()
  let last = 0
  child.on('message', (answer: Answer) => asked.get(answer.id)?.(answer))
  child.on('exit', (code) => {
    for (const [id, settle] of asked) settle({ id, error: `${file} ${names.join(' ')} ended with ${code}` })
  })
  return {
    call: <T>(name: string, given?: unknown) =>
      new Promise<T>((resolve, reject) => {
        const id = ++last
        const settle = ({ value, error }: Answer) => {
          clearTimeout(timer)
          asked.delete(id)
          if (error === undefined) resolve(value as T)
          else reject(new Error(error))
        }
        const timer = setTimeout(() => settle({ id, error: `${names.join(' ')}: ${name} took too long` }), CALL_MS)
        asked.set(id, settle)
        child.send({ id, name, given } satisfies Question)
      }),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** The other side: answers calls until the parent is gone. */
export function answer(calls: Calls): void {
  process.on('disconnect', () => process.exit())
  process.on('message', async ({ id, name, given }: Question) => {
    const reply = (told: Answer) => process.send?.(told)
    try {
      reply({ id, value: await calls[name]!(given as never) })
    } catch (error) {
      reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
}

export interface Usage {
  /** User and system time of this process, in microseconds. */
  readonly cpuUs: number
  readonly rssBytes: number
}

export const usage = (): Usage => {
  const { user, system } = process.cpuUsage()
  return { cpuUs: user + system, rssBytes: process.memoryUsage.rss() }
}
