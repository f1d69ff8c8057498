// A kind of worker thread of which the last one that is done is kept: its start takes longer than most requests.
import { Worker } from 'node:worker_threads'

/** Memory of the thread that lists and searches: the files of one folder, and the text of one file. */
const SCAN_MEMORY_MB = 256

export class KeptThread {
  readonly #file: URL
  #idle: Worker | null = null

  /** `name`: the module of the thread, without its ending. */
  constructor(name: string, base: string) {
    this.#file = new URL(`./${name}.${base.endsWith('.ts') ? 'ts' : 'js'}`, base)
  }

  /** A thread for one request. The caller gives it back, or terminates it. */
  take(): Worker {
    const thread = this.#idle ?? this.#start()
    this.#idle = null
    thread.ref()
    return thread
  }

  giveBack(thread: Worker): void {
    if (this.#idle !== null) return void thread.terminate()
    this.#idle = thread
    // A process that has nothing else to do may end.
    thread.unref()
  }

  #start(): Worker {
    // Nothing of the server's environment: the thread needs none of it.
    const thread = new Worker(this.#file, {
      env: {},
      execArgv: ['--no-warnings'],
      resourceLimits: { maxOldGenerationSizeMb: SCAN_MEMORY_MB },
    })
    thread.once('exit', () => {
      if (this.#idle === thread) this.#idle = null
    })
    // An error ends the thread; the request that uses it listens too.
    return thread.on('error', () => {})
  }
}
