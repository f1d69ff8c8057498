// An import runs in slices and stops between two of them if its client has left. Validation also has a CPU time limit.
import { nextTask } from '@bridle/history/export/pace'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { AppPorts } from '../../app.ts'
import { badRequest, Denial } from '../denials/denial.ts'

/** About three times what the largest file takes. Stops files crafted to take hours. */
const IMPORT_CPU_MS = 10_000

/** Thrown from anywhere in the import; the route returns the denial. */
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

  /** Ends a slice. Other requests run in between, and their CPU time does not count. */
  readonly nextTurn = async (): Promise<void> => {
    if (this.#cpuMs) this.#check()
    await nextTask()
    // Platforms that hide CPU time also freeze the clock while code runs, so the slice's time only shows now.
    if (!this.#cpuMs) this.#check()
    this.#since = this.#now()
    this.#stopIfAborted()
  }

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
