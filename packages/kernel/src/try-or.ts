/** For reads of data that another process may have removed or half written. */
export const tryOr = <T, F>(fallback: F, work: () => T): T | F => {
  try {
    return work()
  } catch {
    return fallback
  }
}
