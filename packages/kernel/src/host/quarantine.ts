// Runs that were resumed twice after crashes without progress are suspects. After a crash, the next process resumes them one at
// a time and holds all other runs, so that a run that kills its process is identified and no other run is blamed.
//
// Only the first suspect runs alone, and only its crash counts against it. Its trial ends when it makes progress, ends, waits or
// times out. A suspect that starts beside a timed-out one is not blamed for a crash, but goes first in the next process.
import type { Clock } from '../ports/clock.ts'
import type { RunAdmission, RunGate, RunPass, RunRequest } from '../session/run-gate.ts'

/** A run that crashes its process on start does so within seconds. */
export const TRIAL_MS = 10_000
/** All other runs wait for a trial, even if the suspect survived earlier ones. */
const TRIAL_MS_MAX = 80_000
/** Bounds the delay of all other runs. Suspects left over are tried after the next crash. */
export const QUARANTINE_MS = 30_000

export class Quarantine implements RunGate {
  readonly #clock: Clock
  #phase: 'open' | 'collecting' | 'trials' | 'closed' = 'open'
  /** Later runs were not part of the crash. */
  #hasCollected = false
  readonly #held = new Set<HeldRun>()
  readonly #suspects: HeldRun[] = []
  readonly #working = new Set<HeldRun>()
  #alone: HeldRun | null = null
  #trial: HeldRun | null = null
  #clearTrial = () => {}
  #endsAt = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Holds all runs while the host searches for runs of the last process. */
  collect(): void {
    this.#hasCollected = true
    this.#phase = 'collecting'
  }

  /** Call when all runs of the last process are known. */
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

  /** The process is about to stop: no further run starts. */
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

  /** If a suspect runs alone, its excuse is logged before another run starts. */
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
  /** Open when the last process ended. */
  died = false
  /** Other runs open at that time; null if unknown. */
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

  /** A session whose store fails drops its run, so a failed excuse is harmless. */
  excuse(): Promise<void> {
    this.#excused ??= this.request.excuse().catch(() => {})
    return this.#excused
  }
}

/** Suspects on trial during the crash first, then by number of trials. */
const bySuspicion = (a: HeldRun, b: HeldRun): number =>
  Number(b.request.suspicion?.diedInTrial ?? false) - Number(a.request.suspicion?.diedInTrial ?? false) ||
  (a.request.suspicion?.trials ?? 0) - (b.request.suspicion?.trials ?? 0)

/** Trials double for runs that survived one and were present at a later crash. */
const trialMs = ({ suspicion }: RunRequest): number =>
  Math.min(TRIAL_MS_MAX, TRIAL_MS * 2 ** (suspicion?.inconclusive ?? 0))
