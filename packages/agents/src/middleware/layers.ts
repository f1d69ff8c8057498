// The functions `model` and `compact` of middleware, which surround a request. The time of a function stands still while its `next` works.
import type { ReportItem } from '@bridle/kernel/commands'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Deadline } from '../loop/calls/deadline.ts'
import { ModelError } from '../model/model-error.ts'
import { shortErrorMessage } from '../session/error-message.ts'
import { hookEventItem } from './running.ts'

type Maker<Request, Result> = (request: Request) => Promise<Result>

export interface Layer<Request, Result> {
  readonly name: string
  readonly call: (request: Request, next: Maker<Request, Result>) => Promise<Result>
}

/** The deadline is that of each function. Its signal aborts when the request is no longer wanted. */
export interface LayerOptions<Result> extends Omit<Deadline, 'error'> {
  readonly phase: 'model' | 'compact'
  /** Returns a result that a function made itself, or throws. */
  readonly check: (returned: unknown) => Result
  /** Gets a `hook_event` for each function that changed something, or failed. */
  readonly items: ReportItem[]
}

/** The request inside of all functions, the first one outermost. */
export const surround = <Request, Result>(
  functions: readonly Layer<Request, Result>[],
  make: Maker<Request, Result>,
  options: LayerOptions<Result>,
): Maker<Request, Result> =>
  functions.reduceRight<Maker<Request, Result>>(
    (next, each) => (request) => callOne(each, request, next, options),
    make,
  )

const callOne = async <Request, Result>(
  { name, call }: Layer<Request, Result>,
  request: Request,
  next: Maker<Request, Result>,
  { phase, clock, signal, ms, check, items }: LayerOptions<Result>,
): Promise<Result> => {
  const timer = createTimer(clock, signal, ms, () => new Error(`${phase} took longer than ${ms} ms.`))
  const failures = new Set<unknown>()
  const results = new Set<unknown>()
  let requests = 0
  let isChanged = false
  const makeOne: Maker<Request, Result> = async (given) => {
    requests += 1
    isChanged ||= given !== request
    timer.stop()
    try {
      const result = await next(given)
      results.add(result)
      return result
    } catch (error) {
      failures.add(error)
      throw error
    } finally {
      timer.start()
    }
  }
  const timedNext: Maker<Request, Result> = (given) => {
    const made = makeOne(given)
    // A function that does not await a request must not end the process with it.
    made.catch(() => {})
    return made
  }
  try {
    const returned = await timer.race(async () => call(request, timedNext))
    const isOwn = !results.has(returned)
    const result = isOwn ? check(returned) : returned
    const status = requests === 0 ? 'answered' : requests > 1 ? 'repeated' : isChanged || isOwn ? 'changed' : null
    if (status !== null) items.push(hookEventItem(name, phase, status))
    return result
  } catch (error) {
    // A failure of the request itself is not the function's own.
    if (failures.has(error) || signal.aborted) throw error
    const reason = shortErrorMessage(error)
    items.push(hookEventItem(name, phase, 'error', { reason }))
    throw new ModelError('middleware', `The middleware "${name}" failed: ${reason}`, { cause: error })
  } finally {
    timer.close()
  }
}

/** The time runs except between `stop` and its `start`. `race` rejects when it is over, and when the signal aborts. */
const createTimer = (clock: Clock, signal: AbortSignal, ms: number, error: () => Error) => {
  let leftMs = ms
  let startedAt = clock.now()
  /** Requests under way, and one more once nobody waits for the function. */
  let stops = 0
  let cancel = () => {}
  let reject: (reason: unknown) => void = () => {}
  const leave = () => reject(signal.reason)
  const begin = () => {
    startedAt = clock.now()
    cancel = clock.after(Math.max(0, leftMs), () => reject(error()))
  }
  const stop = () => {
    stops += 1
    if (stops > 1) return
    cancel()
    leftMs -= clock.now() - startedAt
  }
  return {
    stop,
    start: () => {
      stops -= 1
      if (stops === 0) begin()
    },
    race: <T>(work: () => Promise<T>): Promise<T> =>
      new Promise<T>((resolve, refuse) => {
        reject = refuse
        if (signal.aborted) return leave()
        signal.addEventListener('abort', leave, { once: true })
        begin()
        work().then(resolve, refuse)
      }),
    close: () => {
      stop()
      signal.removeEventListener('abort', leave)
    },
  }
}
