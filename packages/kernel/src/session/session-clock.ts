// The time of a session, which never goes back, and its one timer.
import type { Clock } from '../ports/clock.ts'

/** Timers beyond 2^31 ms fire at once; a day is soon enough to look again. */
const TIMER_MS_MAX = 86_400_000
/** A timer is set again after this long, although its moment is the same: timers do not see the wall clock jump. */
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

  /** The time, never earlier than `atLeast` or than an earlier answer. */
  now(atLeast: number): number {
    this.#time = Math.max(this.#time, this.#clock.now(), atLeast)
    return this.#time
  }

  /** Sets the timer to `due`; null = no timer. */
  setTimer(due: number | null, now: number): void {
    // Most events leave `due` as it is, and then the timer stays, for a while: a timer does not see the wall clock jump.
    if (this.#timer && this.#timer.due === due && due > now && now - this.#timer.setAt < TIMER_KEPT_MS) return
    this.forget()
    if (due === null) return
    const clearTimer = this.#clock.after(Math.min(Math.max(0, due - now), TIMER_MS_MAX), () => {
      this.#timer = null
      // A timer that fired proves that the time has come, also where the wall clock was set back meanwhile.
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
