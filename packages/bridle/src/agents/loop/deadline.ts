// Work of others within a time: a tool, or a schema that checks with the help of a service.
import type { Clock } from '../../kernel/ports/clock.ts'

export interface Deadline {
  readonly clock: Clock
  /** Aborts when the run is cancelled, and when it ends. */
  readonly signal: AbortSignal
  readonly ms: number
  /** The error of work that takes longer. */
  readonly error: () => Error
}

/**
 * Settles like the work, or rejects at the deadline or with the end of the run. The work gets a signal for both; nobody
 * listens to it any more afterwards.
 */
export const withDeadline = async <T>(
  work: (signal: AbortSignal) => T | Promise<T>,
  { clock, signal: runSignal, ms, error }: Deadline,
): Promise<T> => {
  runSignal.throwIfAborted()
  const deadline = new AbortController()
  const signal = AbortSignal.any([runSignal, deadline.signal])
  const cancelTimer = clock.after(ms, () => deadline.abort(error()))
  let leave = () => {}
  try {
    return await new Promise<T>((resolve, reject) => {
      leave = () => reject(signal.reason)
      signal.addEventListener('abort', leave, { once: true })
      // A promise of its own: an error that the work throws before its first await rejects it too, and the deadline can still win.
      new Promise<T>((begin) => begin(work(signal))).then(resolve, reject)
    })
  } finally {
    cancelTimer()
    signal.removeEventListener('abort', leave)
  }
}
