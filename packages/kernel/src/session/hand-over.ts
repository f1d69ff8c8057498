// The end of a process, for one session: its run stops here, and is kept for the next process.
import { ABORT_GRACE_MS } from '@bridle/events/limits'
import type { Clock } from '../ports/clock.ts'

/** How long a durable run may take to end what it has begun when its process is about to end: orchestrators kill after 30 s. */
export const REST_GRACE_MS = 10_000

export class HandOver {
  /** The process is about to end, so that no run starts any more. */
  isRequested = false
  readonly #clock: Clock
  #check = (): void => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when the run has stopped, or is late. `isOver` is asked at each `check`. */
  async waitFor(isOver: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const clearTimer = this.#clock.after(ABORT_GRACE_MS, resolve)
      this.#check = () => {
        if (!isOver()) return
        clearTimer()
        resolve()
      }
      this.#check()
    })
  }

  /** The run may have stopped: the session has committed something, or was dropped. */
  check(): void {
    this.#check()
  }

  /** Resolves when the work has ended, well or not, or is late. */
  async withinGrace(work: () => Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve) => {
      const clearTimer = this.#clock.after(REST_GRACE_MS, resolve)
      work()
        .catch(() => {})
        .finally(() => {
          clearTimer()
          resolve()
        })
    })
  }
}
