// Keeps the last idle worker thread for reuse, because starting one takes longer than most requests.
import { Worker } from 'node:worker_threads'

/** Enough for the listing of one folder and the text of one file. */
const SCAN_MEMORY_MB = 256

export class KeptThread {
  readonly #file: URL
  #idle: Worker | null = null

  /** `name`: the module without its extension. */
  constructor(name: string, base: string) {
    this.#file = new URL(`./${name}.${base.endsWith('.ts') ? 'ts' : 'js'}`, base)
  }

  /** A thread for one request. The caller returns or terminates it. */
  take(): Worker {
    const thread = this.#idle ?? this.#start()
    this.#idle = null
    thread.ref()
    return thread
  }

  giveBack(thread: Worker): void {
    if (this.#idle !== null) return void thread.terminate()
    this.#idle = thread
    // An idle thread must not keep the process alive.
    thread.unref()
  }

  #start(): Worker {
    // Keep the server's secrets out of the thread.
    const thread = new Worker(this.#file, {
      env: {},
      execArgv: ['--no-warnings'],
      resourceLimits: { maxOldGenerationSizeMb: SCAN_MEMORY_MB },
    })
    thread.once('exit', () => {
      if (this.#idle === thread) this.#idle = null
    })
    // Without a listener an error would crash the process. The request handles it.
    return thread.on('error', () => {})
  }
}
