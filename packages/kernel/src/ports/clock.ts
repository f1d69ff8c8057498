export interface Clock {
  /** Wall time in ms. It may jump both ways. */
  now(): number
  /** Returns a function that clears the timer. */
  after(ms: number, call: () => void): () => void
}

/** Resolves when the work has settled, successfully or not, or is late. */
export const settledWithin = (clock: Clock, ms: number, work: () => Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const clearTimer = clock.after(ms, resolve)
    work()
      .catch(() => {})
      .finally(() => {
        clearTimer()
        resolve()
      })
  })
