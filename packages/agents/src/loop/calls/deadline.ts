// Work of others within a time: a tool, or a schema that checks with the help of a service.
import type { Clock } from '@bridle/kernel/ports/clock'

export interface Deadline {
  readonly clock: Clock
  /** Aborts when the run is cancelled, and when it ends. */
  readonly signal: AbortSignal
  readonly ms: number
  readonly error: () => Error
}

/** Stops the time. The returned function lets it run on. */
export type PauseDeadline = () => () => void

/** Settles like the work, or rejects at the deadline or at the end of the run. The work gets a signal for both. */
export const withDeadline = async <T>(
  work: (signal: AbortSignal, pause: PauseDeadline) => T | Promise<T>,
  { clock, signal: runSignal, ms, error }: Deadline,
): Promise<T> => {
  runSignal.throwIfAborted()
  // A controller of its own: composite signals of thousands of calls would pile up on the signal of the run.
  const controller = new AbortController()
  const { signal } = controller
  const endWithRun = () => controller.abort(runSignal.reason)
  runSignal.addEventListener('abort', endWithRun, { once: true })
  const timer = pausableTimer(clock, ms, () => controller.abort(error()))
  try {
    return await new Promise<T>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      // A promise of its own: an error that the work throws before its first await rejects it too, and the deadline can still win.
      new Promise<T>((begin) => begin(work(signal, timer.pause))).then(resolve, reject)
    })
  } finally {
    timer.pause()
    runSignal.removeEventListener('abort', endWithRun)
  }
}

/** A paused timer keeps the time that is left. */
const pausableTimer = (clock: Clock, ms: number, end: () => void): { readonly pause: PauseDeadline } => {
  let left = ms
  let since = clock.now()
  let cancel = clock.after(left, end)
  let pauses = 0
  const resume = () => {
    pauses -= 1
    if (pauses > 0) return
    since = clock.now()
    cancel = clock.after(left, end)
  }
  const pause = () => {
    pauses += 1
    if (pauses === 1) {
      cancel()
      left = Math.max(0, left - Math.max(0, clock.now() - since))
    }
    let isPaused = true
    return () => {
      if (isPaused) resume()
      isPaused = false
    }
  }
  return { pause }
}
