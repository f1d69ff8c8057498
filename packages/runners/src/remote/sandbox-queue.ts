// Runs that found no free sandbox, in the order in which they came. Only the first in a line asks again, so waiting costs the
// same however many wait. A run that waits has not begun: it says so in its log, ends with its reporter, and the next process starts it again.

import type { Clock } from '@bridle/kernel/ports/clock'
import { ReporterClosedError, type RunReporter } from '@bridle/kernel/session/run-reporter'

/** No sandbox is free, or its runner has another run: trying again later may help. */
export class NoFreeSandboxError extends Error {
  readonly code = 'no_sandbox_free'
}

export interface WaitLimits {
  /** The first wait between two tries; it doubles with each try. */
  readonly tryMs: number
  readonly tryMsMax: number
  /** Tries before the run reports that it waits: a runner may need a moment to finish its last run. */
  readonly silentTries: number
  /** A sandbox that takes longer than this to start is reported, so that nobody takes the silence for a fault. */
  readonly startingMs?: number
  readonly waitMs: number
}

/** A run keeps its sandbox for up to 12 hours. */
export const WAIT_LIMITS = {
  ...{ tryMs: 250, tryMsMax: 1_000, silentTries: 4 },
  startingMs: 1_000,
  waitMs: 12 * 3_600_000,
} as const satisfies WaitLimits

/** The place of a run in a queue. Each sandbox provider or runner has its own queue. */
export interface QueuePosition {
  readonly name: string
  /** True where an earlier process already reported that the run waits. */
  readonly isReported: boolean
  /** Whether the session has a sandbox already: its run then needs no place and does not wait behind others. */
  readonly ownsSandbox?: () => boolean
}

export class SandboxQueue {
  readonly #clock: Clock
  readonly #limits: WaitLimits
  readonly #queues = new Map<string, RunReporter[]>()

  constructor(clock: Clock, limits: WaitLimits = WAIT_LIMITS) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Resolves with the result of `find`, however long that takes. Rejects when the run is no longer wanted. */
  async wait<T>(reporter: RunReporter, place: QueuePosition, find: () => Promise<T>): Promise<T> {
    const line = this.#queues.get(place.name) ?? []
    this.#queues.set(place.name, line)
    const { tryMs, tryMsMax, silentTries, startingMs = WAIT_LIMITS.startingMs, waitMs } = this.#limits
    const pause = createPause(this.#clock, reporter)
    let reason = 'Other runs wait for a sandbox too.'
    let { isReported } = place
    let tries = 0
    let reporting: Promise<unknown> = Promise.resolve()
    const reportWait = (why: string) => {
      if (isReported || reporter.closed) return
      isReported = true
      reporting = reporter.reportOutOfBand({ type: 'sandbox_awaited', reason: why })
      // The error is thrown where the report is awaited, which may be later.
      reporting.catch(() => {})
    }
    const findSlowly = async () => {
      const forget = this.#clock.after(startingMs, () => reportWait('The sandbox is starting.'))
      return tryFind(find).finally(forget)
    }
    try {
      for (let waitedMs = 0; waitedMs <= waitMs; ) {
        const isTried = line.length === 0 || line[0] === reporter || (place.ownsSandbox?.() ?? false)
        const found = isTried ? await findSlowly() : null
        await reporting
        if (found && 'value' in found) {
          if (isReported) await reporter.reportOutOfBand({ type: 'sandbox_awaited', reason: null })
          return found.value
        }
        if (reporter.closed) throw new ReporterClosedError('nobody listens')
        reason = found?.reason ?? reason
        tries += isTried ? 1 : 0
        if (!line.includes(reporter)) line.push(reporter)
        if (tries > silentTries || !isTried) reportWait(reason)
        await reporting
        const ms = Math.min(tryMsMax, tryMs * 2 ** Math.max(0, tries - silentTries))
        await pause(ms)
        waitedMs += ms
      }
      throw new Error(`${reason} The run has waited for as long as a run may.`)
    } finally {
      const at = line.indexOf(reporter)
      if (at >= 0) line.splice(at, 1)
      if (line.length === 0 && this.#queues.get(place.name) === line) this.#queues.delete(place.name)
    }
  }
}

/** A pause ends with its reporter, too. */
const createPause = (clock: Clock, reporter: RunReporter) => {
  let wake = () => {}
  reporter.onClose(() => wake())
  return (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const forget = clock.after(ms, resolve)
      wake = () => {
        forget()
        resolve()
      }
      if (reporter.closed) wake()
    })
}

const tryFind = async <T>(find: () => Promise<T>): Promise<{ value: T } | { reason: string }> => {
  try {
    return { value: await find() }
  } catch (error) {
    if (error instanceof NoFreeSandboxError) return { reason: error.message }
    throw error
  }
}
