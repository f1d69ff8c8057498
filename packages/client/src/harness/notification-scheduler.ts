// When subscribers are called. A reply streams in hundreds of deltas a second; a screen shows sixty frames.

/** Browsers stop animation frames in hidden tabs. Four updates a second keep such a tab current at little cost. */
const HIDDEN_MS = 250

export type NotificationSchedule = 'frame' | 'micro' | 'sync'

/** Calls `publish` once for any number of calls to `schedule`. */
export class NotificationScheduler {
  readonly #publish: () => void
  readonly #schedule: NotificationSchedule
  #cancel: (() => void) | null = null

  constructor(schedule: NotificationSchedule, publish: () => void) {
    this.#publish = publish
    this.#schedule = schedule === 'frame' && typeof requestAnimationFrame !== 'function' ? 'micro' : schedule
  }

  schedule(): void {
    if (this.#cancel) return
    if (this.#schedule === 'sync') return this.#publish()
    this.#cancel = this.#schedule === 'frame' ? nextFrame(() => this.flush()) : nextTurn(() => this.flush())
  }

  /** Publishes now if a call is scheduled. */
  flush(): void {
    if (!this.#cancel) return
    this.#cancel()
    this.#cancel = null
    this.#publish()
  }
}

/** Frame and timer: a frame that was requested before the tab was hidden never comes. */
const nextFrame = (run: () => void): (() => void) => {
  const frame = requestAnimationFrame(run)
  const timer = setTimeout(run, HIDDEN_MS)
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

const nextTurn = (run: () => void): (() => void) => {
  let isOff = false
  queueMicrotask(() => isOff || run())
  return () => {
    isOff = true
  }
}
