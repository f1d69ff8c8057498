// Long reads take turns: a reader far behind would otherwise hold the event loop until it has caught up.
import type { TakeTurns } from '../../ports/log.ts'

/** Delays a live turn little, yet is enough for several pages. */
export const READ_SLICE_MS = 2
/** Fallback for clocks that stand still while code runs. A cached page takes well under a millisecond. */
const READ_SLICE_STEPS = 64

export interface EventLoop {
  /** Milliseconds since a fixed moment. May be constant on platforms whose clock stands still while code runs. */
  now(): number
  /** Resolves when everything else that is ready has run. */
  nextTurn(): Promise<void>
}

type ReadStep = () => Promise<unknown>

/** First in, first out, one time slice per turn of the event loop. */
export class ReadScheduler {
  readonly #loop: EventLoop
  readonly #waiting: ReadStep[] = []
  #isRunning = false

  constructor(loop: EventLoop) {
    this.#loop = loop
  }

  readonly takeTurns: TakeTurns = (step) => this.schedule(step)

  /** Readers request one step at a time, so that all of them advance equally. */
  schedule<T>(step: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(async () => step().then(resolve, reject))
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await this.#slice()
      // Also after the last step: readers request the next page once they have this one.
      await this.#loop.nextTurn()
    }
    this.#isRunning = false
  }

  async #slice(): Promise<void> {
    const start = this.#loop.now()
    for (let steps = 0; steps < READ_SLICE_STEPS && this.#loop.now() - start < READ_SLICE_MS; steps++) {
      const step = this.#waiting.shift()
      if (!step) return
      // A store that waits for disk or network leaves the event loop free for the next reader.
      await Promise.race([step(), this.#loop.nextTurn()])
    }
  }
}
