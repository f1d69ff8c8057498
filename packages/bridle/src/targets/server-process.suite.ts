// A server in a process of its own, to be killed and started again on the same data.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../cli/main.ts', import.meta.url))

export class ServerProcess {
  readonly #data: string
  #process: ChildProcess | null = null
  url = ''

  constructor(data: string) {
    this.#data = data
  }

  /** Resolves when it is ready. */
  async boot(): Promise<void> {
    const child = spawn(process.execPath, ['--conditions=source', main, 'start', '--port', '0', '--data', this.#data], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    // Known before it is ready, so that it is ended whatever happens.
    this.#process = child
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /ready at (\S+)/.exec(line)?.[1]
      if (url === undefined) continue
      this.url = url
      return
    }
    throw new Error('The server ended before it was ready.')
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    child.kill(signal)
    const [code] = (await once(child, 'exit')) as [number | null]
    return code
  }
}
