// Monotonic time, and the session's only timer.
import type { Clock } from '../ports/clock.ts'

/** Timers beyond 2^31 ms fire at once; a day is soon enough to check again. */
const TIMER_MS_MAX = 86_400_000
/** Timers do not notice jumps of the wall clock, so an unchanged one is renewed after this time. */
const TIMER_KEPT_MS = 1_000

export class SessionClock {
  readonly #clock: Clock
  readonly #onDue: () => void
  #time = 0
  #timer: { readonly due: number; readonly setAt: number; readonly clearTimer: () => void } | null = null

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** Monotonic, and never before `atLeast`. */
  now(atLeast: number): number {
    this.#time = Math.max(this.#time, this.#clock.now(), atLeast)
    return this.#time
  }

  setTimer(due: number | null, now: number): void {
    // Most events leave `due` unchanged.
    if (this.#timer && this.#timer.due === due && due > now && now - this.#timer.setAt < TIMER_KEPT_MS) return
    this.forget()
    if (due === null) return
    const clearTimer = this.#clock.after(Math.min(Math.max(0, due - now), TIMER_MS_MAX), () => {
      this.#timer = null
      // The timer fired, so the time has come, even if the wall clock was set back.
      this.#time = Math.max(this.#time, Math.min(due, now + TIMER_MS_MAX))
      this.#onDue()
    })
    this.#timer = { due, setAt: now, clearTimer }
  }

  forget(): void {
    this.#timer?.clearTimer()
    this.#timer = null
  }
}
