/** Makes a result with the first call and gives it to all later ones. A failure is not kept: the next call tries again. */
export const reuseResult = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | null = null
  return () => {
    if (result) return result
    const attempt = make()
    result = attempt
    attempt.catch(() => {
      result = null
    })
    return attempt
  }
}
