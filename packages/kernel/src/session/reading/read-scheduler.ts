// Long reads take turns. A reader that is far behind reads page after page; if nothing stopped it, one such reader would
// hold the event loop until it had caught up, and everybody else would wait: live turns, probes, heartbeats.
import type { TakeTurns } from '../../ports/log.ts'

/** Reading for this long costs a live turn little, and is long enough for several pages. */
export const READ_SLICE_MS = 2
/** For a clock that stands still while code runs. A page that was encoded before takes well under a millisecond. */
const READ_SLICE_STEPS = 64

/** The one thread of a target, as readers share it. */
export interface EventLoop {
  /** Milliseconds since any fixed moment. A platform whose clock stands still while code runs may return a constant. */
  now(): number
  /** Resolves when everything else that is ready to run has run. */
  nextTurn(): Promise<void>
}

type ReadStep = () => Promise<unknown>

/** Steps run in the order in which they were asked for, a slice of them in each turn of the event loop. */
export class ReadScheduler {
  readonly #loop: EventLoop
  readonly #waiting: ReadStep[] = []
  #isRunning = false

  constructor(loop: EventLoop) {
    this.#loop = loop
  }

  /** The scheduler as a store gets it. */
  readonly takeTurns: TakeTurns = (step) => this.schedule(step)

  /** A reader asks for one step at a time, so fifty readers get a page each before any of them gets its next. */
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
      // Also after the last step: a reader asks for its next page when it has this one.
      await this.#loop.nextTurn()
    }
    this.#isRunning = false
  }

  async #slice(): Promise<void> {
    const start = this.#loop.now()
    for (let steps = 0; steps < READ_SLICE_STEPS && this.#loop.now() - start < READ_SLICE_MS; steps++) {
      const step = this.#waiting.shift()
      if (!step) return
      // A store that waits for a disk or a network leaves the event loop free; the next reader need not wait for it.
      await Promise.race([step(), this.#loop.nextTurn()])
    }
  }
}
