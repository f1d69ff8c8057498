/** Concurrent callers share the work in progress. */
export const sharedWork = (work: () => Promise<void>): (() => Promise<void>) => {
  let current: Promise<void> | null = null
  return () => {
    current ??= work().finally(() => {
      current = null
    })
    return current
  }
}
