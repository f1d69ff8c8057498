/** The result of the work, or the fallback if it throws: for reads of what another process may have removed or left half written. */
export const tryOr = <T, F>(fallback: F, work: () => T): T | F => {
  try {
    return work()
  } catch {
    return fallback
  }
}
