/** Callers that come while the work is in progress share it. */
export const sharedWork = (work: () => Promise<void>): (() => Promise<void>) => {
  let current: Promise<void> | null = null
  return () => {
    current ??= work().finally(() => {
      current = null
    })
    return current
  }
}
