export interface Clock {
  /** Wall time in ms. It may jump both ways. */
  now(): number
  /** Returns a function that clears the timer. */
  after(ms: number, call: () => void): () => void
}
