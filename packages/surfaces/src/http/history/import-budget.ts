// The work that one import may cause. A file is checked and written in slices: between two of them the import stops if its client has
// left. The check also stops if it has used up its CPU time; then nothing is written. Writing takes no longer than the events are many.
import { nextTask } from '@bridle/history/export/pace'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { AppPorts } from '../../app.ts'
import { badRequest, Denial } from '../denials/denial.ts'

/** CPU time to check one file: about three times what the largest takes, and the end of one that was made to take hours. */
const IMPORT_CPU_MS = 10_000

/** Thrown out of whatever the import is doing; the route answers with the denial. */
export class ImportInterruption extends Error {
  readonly denial: Denial

  constructor(denial: Denial) {
    super(denial.message)
    this.denial = denial
  }
}

export class ImportBudget {
  readonly #cpuMs: (() => number) | null
  readonly #clock: Clock
  readonly #signal: AbortSignal
  #usedMs = 0
  #since: number

  constructor({ cpuMs, clock }: Pick<AppPorts, 'cpuMs' | 'clock'>, signal: AbortSignal) {
    this.#cpuMs = cpuMs ?? null
    this.#clock = clock
    this.#signal = signal
    this.#since = this.#now()
  }

  /** Ends a slice of work. Other requests have their turn in between, and their CPU time does not count. */
  readonly nextTurn = async (): Promise<void> => {
    if (this.#cpuMs) this.#check()
    await nextTask()
    // A platform that hides CPU time also stops its clock while code runs: there the time of the slice shows only now.
    if (!this.#cpuMs) this.#check()
    this.#since = this.#now()
    this.#stopIfAborted()
  }

  /** Between two sessions that are written. */
  async letOthersWork(): Promise<void> {
    await nextTask()
    this.#stopIfAborted()
  }

  #check(): void {
    this.#usedMs += this.#now() - this.#since
    this.#stopIfAborted()
    if (this.#usedMs > IMPORT_CPU_MS) throw new ImportInterruption(badRequest(TOO_MUCH_WORK))
  }

  #stopIfAborted(): void {
    if (this.#signal.aborted) throw new ImportInterruption(new Denial('unavailable', CLIENT_LEFT))
  }

  #now(): number {
    return this.#cpuMs?.() ?? this.#clock.now()
  }
}

const TOO_MUCH_WORK = `The import took more than ${IMPORT_CPU_MS / 1_000} s of CPU time and was stopped. Nothing was written. Export fewer sessions at a time.`
const CLIENT_LEFT = 'The client left before the import was done. Import the file again: it completes what is missing.'
