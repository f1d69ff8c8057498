// The clock inside an object. A timer keeps an object in memory for as long as it runs, so only short waits have one; a
// long wait is kept until the object goes to sleep, and the alarm, which is set in the same write, looks after it then.
import type { Clock } from '../../../kernel/ports/store.ts'
import { TIMER_MS_MAX } from '../limits.ts'

interface LongWait {
  readonly at: number
  readonly call: () => void
}

export class ObjectClock implements Clock {
  readonly #long = new Set<LongWait>()

  now(): number {
    return Date.now()
  }

  after(ms: number, call: () => void): () => void {
    if (ms > TIMER_MS_MAX) {
      const wait = { at: this.now() + ms, call }
      this.#long.add(wait)
      return () => this.#long.delete(wait)
    }
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  }

  /** Calls what is due; for whoever wakes the object. */
  runDue(): void {
    const now = this.now()
    for (const wait of [...this.#long]) if (wait.at <= now && this.#long.delete(wait)) wait.call()
  }
}

/** For runs: as long as one is in hand, the object is to stay. */
export const runClock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
