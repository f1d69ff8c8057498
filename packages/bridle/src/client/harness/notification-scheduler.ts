// When to tell. A reply streams in hundreds of deltas a second; a screen shows sixty frames.

export type NotificationSchedule = 'frame' | 'micro' | 'sync'

/** Frames stop where nobody looks: a hidden tab, a covered window. Then this often is enough. */
const HIDDEN_MS = 250

/** Calls `publish` once for any number of `touch`es. */
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

  /** What waits is told now. */
  flush(): void {
    if (!this.#cancel) return
    this.#cancel()
    this.#cancel = null
    this.#publish()
  }
}

/** Both are set: a frame that was asked for before the tab was hidden never comes. */
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
