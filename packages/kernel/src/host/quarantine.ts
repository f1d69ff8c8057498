// After a crash, runs that were resumed twice without progress are suspects. The next process resumes them one at a time and delays
// all other runs, so that a run which kills its process is found and no other run is blamed.
//
// The first suspect is alone, and a crash counts against it. Its trial ends when the run makes progress, ends, waits, or times
// out. If the run is still at work then, the next suspect is not alone: a crash does not count, but that suspect comes first in the
// next process.
import type { Clock } from '../ports/clock.ts'
import type { RunAdmission, RunGate, RunPass, RunRequest } from '../session/run-gate.ts'

/** The first trial of a suspect: a run that kills its process when it starts does so within seconds. */
export const TRIAL_MS = 10_000
/** The longest trial of a suspect that survived earlier ones: all other runs wait for it. */
const TRIAL_MS_MAX = 80_000
/** No trial begins later than this after the start of a process: the remaining suspects are tried after the next crash. */
export const QUARANTINE_MS = 30_000

export class Quarantine implements RunGate {
  readonly #clock: Clock
  #phase: 'open' | 'collecting' | 'trials' | 'closed' = 'open'
  /** The host has looked for the runs of the last process: runs that come later were not part of its crash. */
  #hasCollected = false
  readonly #held = new Set<HeldRun>()
  readonly #suspects: HeldRun[] = []
  readonly #working = new Set<HeldRun>()
  /** The suspect that started alone, until another run starts beside it. */
  #alone: HeldRun | null = null
  #trial: HeldRun | null = null
  #clearTrial = () => {}
  #endsAt = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Delays all runs while the host looks for those that the last process left. */
  collect(): void {
    this.#hasCollected = true
    this.#phase = 'collecting'
  }

  /** Ends the collection: all runs that the last process left are known. */
  settle(): void {
    if (this.#phase !== 'collecting') return
    const left = [...this.#held]
    for (const run of left) {
      run.died = true
      run.others = left.length - 1
    }
    this.#suspects.push(...left.filter(({ request }) => request.suspicion !== null).sort(bySuspicion))
    if (this.#suspects.length === 0) return this.#open()
    this.#phase = 'trials'
    this.#endsAt = this.#clock.now() + QUARANTINE_MS
    void this.#nextTrial()
  }

  /** Lets no further run start: the process is about to stop. */
  close(): void {
    this.#phase = 'closed'
    this.#clearTrial()
  }

  request(request: RunRequest): RunAdmission {
    const run = new HeldRun(request)
    if (this.#phase !== 'open') this.#held.add(run)
    else if (this.#alone) void this.#admit(run)
    else this.#working.add(run)
    return {
      pass: this.#working.has(run) && !this.#alone ? this.#passOf(run) : run.pass,
      gotFurther: () => this.#endTrial(run, () => run.clear()),
      release: () => this.#endTrial(run, () => this.#forget(run)),
    }
  }

  /** Starts the next suspect while there is time, and then all other runs. */
  async #nextTrial(): Promise<void> {
    const next = this.#suspects.shift()
    if (!next || this.#clock.now() >= this.#endsAt) return this.#open()
    if (!this.#held.has(next)) return this.#nextTrial()
    this.#trial = next
    this.#clearTrial = this.#clock.after(trialMs(next.request), () => this.#endTrial(next))
    const isAlone = this.#working.size === 0
    await this.#admit(next, isAlone)
  }

  #endTrial(run: HeldRun, act?: () => void): void {
    act?.()
    if (this.#alone === run && !(this.#working.has(run) && run.isSuspect)) this.#alone = null
    if (this.#trial !== run) return
    this.#trial = null
    this.#clearTrial()
    if (this.#phase === 'trials') void this.#nextTrial()
  }

  #open(): void {
    this.#phase = 'open'
    this.#suspects.length = 0
    for (const run of this.#held) void this.#admit(run)
  }

  /** Starts a run. If a suspect is alone, its excuse is written to the log first. */
  async #admit(run: HeldRun, alone?: boolean): Promise<void> {
    this.#held.delete(run)
    this.#working.add(run)
    const joined = this.#alone
    if (alone) this.#alone = run
    else if (joined) await joined.excuse()
    if (this.#alone === joined && !alone) this.#alone = null
    if (this.#phase === 'closed' || !this.#working.has(run)) return
    run.begin(this.#passOf(run, alone))
  }

  #passOf({ died, others }: HeldRun, alone?: boolean): RunPass {
    return {
      died: died || !this.#hasCollected,
      ...(alone !== undefined && { alone }),
      ...(others !== null && { others }),
    }
  }

  #forget(run: HeldRun): void {
    this.#held.delete(run)
    this.#working.delete(run)
  }
}

class HeldRun {
  readonly request: RunRequest
  readonly pass: Promise<RunPass>
  begin: (pass: RunPass) => void = () => {}
  /** The run was open when the last process ended. */
  died = false
  /** Other runs that were open at that time; null = unknown. */
  others: number | null = null
  isSuspect: boolean
  #excused: Promise<void> | null = null

  constructor(request: RunRequest) {
    this.request = request
    this.isSuspect = request.suspicion !== null
    this.pass = new Promise((resolve) => {
      this.begin = resolve
    })
  }

  clear(): void {
    this.isSuspect = false
  }

  /** A session whose store fails drops its run, so that it needs no excuse. */
  excuse(): Promise<void> {
    this.#excused ??= this.request.excuse().catch(() => {})
    return this.#excused
  }
}

/** Suspects that were on trial during the crash come first, then the ones with fewer trials. */
const bySuspicion = (a: HeldRun, b: HeldRun): number =>
  Number(b.request.suspicion?.diedInTrial ?? false) - Number(a.request.suspicion?.diedInTrial ?? false) ||
  (a.request.suspicion?.trials ?? 0) - (b.request.suspicion?.trials ?? 0)

/** A run that survived its trials and was there at a later crash gets longer ones. */
const trialMs = ({ suspicion }: RunRequest): number =>
  Math.min(TRIAL_MS_MAX, TRIAL_MS * 2 ** (suspicion?.inconclusive ?? 0))
