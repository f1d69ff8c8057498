/** Timers with a longer delay fire immediately, in browsers and in Node. */
const TIMER_MS_MAX = 2 ** 31 - 1

export type WorkEnd<T> =
  | { readonly end: 'done'; readonly value: T }
  | { readonly end: 'failed'; readonly error: unknown }
  | { readonly end: 'timed_out' }
  | { readonly end: 'aborted' }

/** The deadline and `signal` both abort the signal passed to `work`, whose late result is dropped. */
export const withinTime = <T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => T | PromiseLike<T>,
): Promise<WorkEnd<T>> => {
  if (signal.aborted) return Promise.resolve({ end: 'aborted' })
  const controller = new AbortController()
  return new Promise((resolve) => {
    const settle = (end: WorkEnd<T>) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      resolve(end)
      if (end.end === 'timed_out' || end.end === 'aborted') controller.abort()
    }
    const abort = () => settle({ end: 'aborted' })
    const timer =
      ms === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(() => settle({ end: 'timed_out' }), Math.min(Math.max(ms, 0), TIMER_MS_MAX))
    signal.addEventListener('abort', abort)
    const run = async () => work(controller.signal)
    run().then(
      (value) => settle({ end: 'done', value }),
      (error: unknown) => settle({ end: 'failed', error }),
    )
  })
}
