// Stops the run of a session at the end of a process and keeps it for the next one.
import { ABORT_GRACE_MS } from '@bridle/events/limits'
import type { Clock } from '../ports/clock.ts'

/** How long durable runs get to finish their current step. Orchestrators kill after 30 s. */
export const REST_GRACE_MS = 10_000

export class HandOver {
  isRequested = false
  readonly #clock: Clock
  #check = (): void => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when the run has stopped or is late. */
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

  /** The session committed something or was dropped, so the run may have stopped. */
  check(): void {
    this.#check()
  }
}
