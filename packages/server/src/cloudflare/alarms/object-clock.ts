// A running timer keeps the object in memory, so only short waits use one. After an eviction, the alarm covers long waits.
import type { Clock } from '@bridle/kernel/ports/clock'

/** Longer than any retry of a runner, shorter than the platform's ten-second idle eviction. */
const TIMER_MS_MAX = 9_000

export class ObjectClock implements Clock {
  readonly #long = new Set<{ readonly at: number; readonly call: () => void }>()

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

  /** Runs long waits that are due. Every entry point of the object calls it. */
  runDue(): void {
    const now = this.now()
    for (const wait of [...this.#long]) if (wait.at <= now && this.#long.delete(wait)) wait.call()
  }
}

/** Uses a timer for every wait, so that the object stays in memory while a run waits. */
export const runClock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
