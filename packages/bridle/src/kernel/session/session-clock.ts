// The time of one session, which never goes back, and the one timer that ends its wait.
import type { Clock } from '../ports/clock.ts'
import { TIMER_KEPT_MS, TIMER_MS_MAX } from './limits.ts'

export class SessionClock {
  readonly #clock: Clock
  readonly #onDue: () => void
  #time = 0
  /** As it was set. */
  #timer: { readonly due: number; readonly setAt: number; readonly clearTimer: () => void } | null = null

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#onDue = ring
  }

  /** Not before anything that has happened. */
  now(atLeast: number): number {
    this.#time = Math.max(this.#time, this.#clock.now(), atLeast)
    return this.#time
  }

  /** Null = never by itself. */
  setTimer(due: number | null, now: number): void {
    // A reply changes nothing in it, token after token; but a timer does not see wall time jump, so it is soon set anew.
    if (this.#timer && this.#timer.due === due && due > now && now - this.#timer.setAt < TIMER_KEPT_MS) return
    this.forget()
    if (due === null) return
    const forget = this.#clock.after(Math.min(Math.max(0, due - now), TIMER_MS_MAX), () => {
      this.#timer = null
      // A timer that fired proves that the time has come, whatever the wall clock says meanwhile.
      this.#time = Math.max(this.#time, Math.min(due, now + TIMER_MS_MAX))
      this.#onDue()
    })
    this.#timer = { due, setAt: now, clearTimer: forget }
  }

  forget(): void {
    this.#timer?.clearTimer()
    this.#timer = null
  }
}
