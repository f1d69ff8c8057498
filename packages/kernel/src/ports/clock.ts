// The time and its timers, as the kernel gets them.

export interface Clock {
  /** Wall time in ms; may jump either way. */
  now(): number
  /** Calls back once after `ms`; the returned function clears the timer. */
  after(ms: number, call: () => void): () => void
}
