// A server that a tutorial starts, with everything that it prints.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export class ServedProgram {
  printed = ''
  readonly #process: ChildProcess

  private constructor(command: string, options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
    // A group of its own: a shell passes no signal on.
    const child = spawn('sh', ['-c', command], { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.printed += text
      })
    this.#process = child
  }

  /** Resolves when something answers at the address. */
  static async start(
    command: string,
    address: string,
    options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  ): Promise<ServedProgram> {
    const program = new ServedProgram(command, options)
    for (let tries = 0; tries < 600 && program.#process.exitCode === null; tries++) {
      const answers = await fetch(address).then(
        () => true,
        () => false,
      )
      if (answers) return program
      await sleep(100)
    }
    await program.stop()
    throw new Error(`${command} does not serve:\n${program.printed}`)
  }

  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#process
    if (!pid || exitCode !== null || signalCode !== null) return
    const closed = once(this.#process, 'close')
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The group has ended meanwhile.
    }
    await closed
  }
}
