// A server in a separate process, which tests kill and start again on the same data.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { fromSource } from '../../../../scripts/module-snapshot.ts'

/** Node's own place for it. A server is started again and again here, and compiling it takes half of each start. */
const compileCache = process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'node-compile-cache')
const main = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))

interface ServerProcessOptions {
  /** Variables beside those of this process. */
  readonly env?: NodeJS.ProcessEnv
  /** The file to which the server's log is appended; without one the log is thrown away. */
  readonly logFile?: string
  /** The working directory, whose `agents/` it serves; without one, that of this process. */
  readonly cwd?: string
}

export class ServerStartError extends Error {}

export class ServerProcess {
  readonly #data: string
  readonly #options: ServerProcessOptions
  #process: ChildProcess | null = null
  url = ''

  constructor(data: string, options: ServerProcessOptions = {}) {
    this.#data = data
    this.#options = options
  }

  /** Resolves when it is ready. */
  async boot(): Promise<void> {
    const { env, logFile, cwd } = this.#options
    const log = logFile === undefined ? null : openSync(logFile, 'a')
    const child = spawn(process.execPath, [...fromSource, main, 'start', '--port', '0', '--data', this.#data], {
      stdio: ['ignore', 'pipe', log ?? 'ignore'],
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
      ...(cwd !== undefined && { cwd }),
    })
    if (log !== null) closeSync(log)
    // Registered before it is ready, so that the process is ended in any case.
    this.#process = child
    for await (const line of createInterface({ input: child.stdout! })) {
      const url = /ready at (\S+)/.exec(line)?.[1]
      if (url === undefined) continue
      this.url = url
      return
    }
    throw new ServerStartError('The server ended before it was ready.')
  }

  /** Resolves when the process has exited, for any reason. */
  get ended(): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
    return once(child, 'exit').then(() => {})
  }

  /** Sends a signal and waits for nothing: a stopped process does not end. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal)
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    child.kill(signal)
    const [code] = (await once(child, 'exit')) as [number | null]
    return code
  }
}
