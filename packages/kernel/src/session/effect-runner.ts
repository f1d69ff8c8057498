// Starts missing effects and stops unwanted ones.

import { TOKEN_PACE_MS } from '@bridle/events/limits'
import type { ChildStatusCommand, ParentNotifiedCommand, ReportItem, RunReport } from '../commands.ts'
import type { AnyEvent, Key } from '../event.ts'
import type { EditedCall, Job, RunEnd } from '../ports/runner.ts'
import type { ChildNotice } from '../rules/children/child-notice.ts'
import type { WantedEffect } from '../rules/wanted-effects.ts'
import type { RunAdmission, RunPass } from './run-gate.ts'
import { type CachedValue, type ReportedSession, ReporterClosedError, RunReporter } from './run-reporter.ts'
import type { SessionPorts } from './session.ts'

/** Sandbox restarts need fewer tries; after this many, the run counts as lost. */
const REATTACH_MAX = 5
/** Delay before a failed effect is retried, and the linear backoff between attaches. */
const EFFECT_RETRY_MS = 1_000

export interface EffectRunnerOptions
  extends Pick<SessionPorts, 'runner' | 'clock' | 'tokenPaceMs' | 'isResting' | 'gate'> {
  /** Logs that another run starts beside this suspect. */
  readonly excuse: () => Promise<void>
  readonly send: (command: RunReport | ParentNotifiedCommand | ChildStatusCommand) => Promise<unknown>
  /** Resolves when the parent has the notice or does not exist. */
  readonly notifyParent: (notice: ChildNotice) => Promise<void>
  /** False if there is no such child. */
  readonly cancelChild: (child: Key) => Promise<boolean>
  readonly session: Omit<ReportedSession, 'job' | 'cache'>
  /** Reconciles again, so that a failed effect is retried if still wanted. */
  readonly retry: () => void
}

export class EffectRunner {
  readonly #options: EffectRunnerOptions
  readonly #active = new Map<string, () => void>()
  readonly #reporters = new Set<RunReporter>()
  /** By effect id. */
  readonly #admissions = new Map<string, RunAdmission>()
  readonly #cache = new Map<string, CachedValue>()
  #effects: readonly WantedEffect[] = []
  #jobs: ReadonlyMap<string, Job> = new Map()
  /** Durable runs that are coming to rest, by effect id. */
  readonly #resting = new Map<string, Promise<void>>()
  #isResting: boolean

  constructor(options: EffectRunnerOptions) {
    this.#options = options
    this.#isResting = options.isResting ?? false
  }

  get size(): number {
    return this.#active.size
  }

  get cachedChars(): number {
    let sum = 0
    for (const { chars } of this.#cache.values()) sum += chars
    return sum
  }

  /** Null if the runner knows no problem. */
  async checkArguments(call: Omit<EditedCall, 'cache'>): Promise<string | null> {
    return (await this.#options.runner.checkArguments?.({ ...call, cache: this.#cache })) ?? null
  }

  get hasRun(): boolean {
    return this.#reporters.size > 0
  }

  reconcile(effects: readonly WantedEffect[]): void {
    this.#jobs = new Map(effects.flatMap((effect) => ('job' in effect ? [[effect.id, effect.job]] : [])))
    const wanted = new Set(effects.map(({ id }) => id))
    for (const [id, cancel] of this.#active) {
      if (wanted.has(id)) continue
      this.#active.delete(id)
      cancel()
    }
    for (const effect of effects) {
      if (effect.kind === 'run' && !effect.suspicion) this.#admissions.get(effect.id)?.gotFurther()
      if (this.#isResting && isDurableRun(effect)) this.#restRun(effect)
      else if (!this.#active.has(effect.id)) this.#start(effect)
    }
    this.#effects = effects
  }

  stop(): void {
    this.reconcile([])
  }

  /** Starts no more durable runs. Resolves when the active ones have finished their current step. */
  async rest(): Promise<void> {
    this.#isResting = true
    for (const effect of this.#effects) if (isDurableRun(effect)) this.#restRun(effect)
    await Promise.all(this.#resting.values())
  }

  #restRun({ id, job }: RunEffect): void {
    if (!this.#active.has(id) || this.#resting.has(id)) return
    const rest = async () => this.#options.runner.rest?.(job)
    this.#resting.set(
      id,
      rest().catch(() => {}),
    )
  }

  notifyRunners(events: readonly AnyEvent[]): void {
    for (const reporter of this.#reporters) reporter.notifyFollowers(events)
  }

  #start(effect: WantedEffect): void {
    const { runner, send, notifyParent, cancelChild } = this.#options
    if (effect.kind === 'run') return this.#run(effect)
    if (effect.kind === 'cancel_child') {
      const { id, child, seq } = effect
      return this.#attempt(id, async () => {
        // A child that never started reports nothing, so record its end here. If it starts later, it reports that and is cancelled.
        if (!(await cancelChild(child)))
          await send({ type: 'child_status', child, owner: null, status: 'cancelled', seq })
      })
    }
    if (effect.kind === 'tell_parent') {
      const { id, notice } = effect
      return this.#attempt(id, async () => {
        await notifyParent(notice)
        await send({ type: 'parent_told', seq: notice.seq })
      })
    }
    if (effect.kind === 'abort')
      return this.#askRunner(effect, async () => {
        const resume = await runner.abort(effect.job)
        return { type: 'stopped', ...(resume !== null && { resume }) }
      })
    if (effect.kind === 'answer') {
      if (!runner.answer) return
      const { answer, job } = effect
      const delivered: ReportItem = { type: 'approval_delivered', requestId: answer.requestId }
      return this.#askRunner(effect, async () => {
        await runner.answer?.(job, answer)
        return delivered
      })
    }
    const { message, job } = effect
    const delivered: ReportItem = { type: 'steer_delivered', messageId: message.messageId }
    return this.#askRunner(effect, async () => {
      await runner.steer?.(job, message)
      return delivered
    })
  }

  #askRunner({ id, job }: Extract<WantedEffect, { job: Job }>, act: () => Promise<ReportItem>): void {
    this.#attempt(id, () => act().then((item) => this.#report(job, item)))
  }

  /** Retried while still wanted. */
  #attempt(id: string, act: () => Promise<unknown>): void {
    const { clock, retry } = this.#options
    this.#active.set(id, () => {})
    Promise.resolve()
      .then(act)
      .catch(() => {
        if (!this.#active.has(id)) return
        const clearTimer = clock.after(EFFECT_RETRY_MS, () => {
          this.#active.delete(id)
          retry()
        })
        this.#active.set(id, clearTimer)
      })
  }

  /** Only runs that work in this process pass the gate; others are merely followed, or already lost. */
  #run(effect: RunEffect): void {
    const { gate, runner, excuse } = this.#options
    const { id, job, started, suspicion = null } = effect
    if (!gate || (started && !job.course) || runner.outlivesProcess?.(job)) return this.#begin(effect, null)
    const admission = gate.request({ suspicion, excuse })
    this.#admissions.set(id, admission)
    const release = () => {
      if (this.#admissions.get(id) !== admission) return
      this.#admissions.delete(id)
      admission.release()
    }
    const { pass } = admission
    if (!(pass instanceof Promise)) return this.#begin(effect, { pass, release })
    this.#active.set(id, release)
    void pass.then((pass) => {
      // While waiting, the job may have changed or become unwanted.
      const job = this.#jobs.get(id)
      if (this.#admissions.get(id) === admission && job && !this.#isResting)
        this.#begin({ ...effect, job }, { pass, release })
    })
  }

  #begin({ id, job, started }: RunEffect, admitted: { pass: RunPass; release: () => void } | null): void {
    const { runner, clock, tokenPaceMs = TOKEN_PACE_MS } = this.#options
    const send = (report: RunReport) => this.#options.send(admitted ? withPass(report, admitted.pass) : report)
    const reporter = new RunReporter({
      runId: job.runId,
      attempt: job.attempt,
      frame: job.frame,
      clock,
      tokenPaceMs,
      send,
      session: { ...this.#options.session, job: () => this.#jobs.get(id) ?? null, cache: this.#cache },
    })
    this.#reporters.add(reporter)
    reporter.onClose(() => this.#reporters.delete(reporter))
    if (admitted) reporter.onClose(admitted.release)
    this.#active.set(id, () => reporter.close())
    Promise.resolve()
      .then(() =>
        this.#follow({ id, job }, reporter, async () =>
          started ? runner.attach(job, reporter) : runner.start(job, reporter),
        ),
      )
      // Through the reporter, so that paced text comes first.
      .then((item) => (reporter.closed || item === null ? undefined : reporter.report([item])))
      // The session was dropped. Its next owner finds the run in the log.
      .catch(() => {})
  }

  /** Reattaches if a stream ends without a terminal event. If that fails, the run is lost. */
  async #follow(
    { id, job: begun }: { readonly id: string; readonly job: Job },
    reporter: RunReporter,
    begin: () => Promise<RunEnd>,
  ): Promise<ReportItem | null> {
    const { runner, clock } = this.#options
    try {
      let end = await begin()
      // News in the commit that ends the wait continue the run here, unless the process is about to end.
      const isBroken = () => end === 'cut' || (end === 'waiting' && !reporter.closed && !this.#isResting)
      for (let tries = 0; isBroken() && tries < REATTACH_MAX; tries++) {
        await new Promise<void>((resolve) => clock.after(EFFECT_RETRY_MS * tries, resolve))
        // Read the job again: its handle and pending calls were unknown at the start.
        const job = this.#jobs.get(id)
        if (reporter.closed || !job) return null
        const { frame } = reporter
        end = await runner.attach({ ...job, frame }, reporter)
        // A stream that delivers frames is alive, no matter how often it breaks.
        if (reporter.frame > frame) tries = -1
      }
      // The run may still be active somewhere.
      const job = this.#jobs.get(id)
      if (end === 'cut' && job) runner.abort(job).catch(() => {})
      if (end === 'waiting') {
        reporter.close()
        return null
      }
      // Dropped after a terminal report. Without one, it gives the run an end.
      return { type: 'lost', message: lostMessage(begun, end) }
    } catch (error) {
      if (error instanceof ReporterClosedError || reporter.closed) return null
      return { type: 'failed', message: error instanceof Error ? error.message : String(error) }
    }
  }

  #report(job: Job, item: ReportItem): Promise<unknown> {
    return this.#options.send({ type: 'report', runId: job.runId, attempt: job.attempt, frame: null, items: [item] })
  }
}

/** Shown below the answer, so it says what to do. Background work retries automatically. */
const lostMessage = ({ key: { agent }, isBackground = false }: Job, end: 'done' | 'cut' | 'lost'): string =>
  `${LOST_BECAUSE[end](agent)}${isBackground ? '' : ' Ask again.'}`

const LOST_BECAUSE = {
  lost: (agent) =>
    `The server or the runner of ${agent} stopped in the middle of this run, and the run cannot continue.`,
  cut: (agent) => `The connection to ${agent} broke in the middle of this run, and did not come back.`,
  done: (agent) => `${agent} ended this run without an answer.`,
} satisfies { readonly [End in Exclude<RunEnd, 'waiting'>]: (agent: string) => string }

type RunEffect = WantedEffect & { readonly kind: 'run' }

/** Adds what the host knows about the crash before a resumption. */
const withPass = (report: RunReport, pass: RunPass): RunReport => ({
  ...report,
  items: report.items.map((item) => (item.type === 'resumed' ? { ...item, pass } : item)),
})

const isDurableRun = (effect: WantedEffect): effect is RunEffect =>
  effect.kind === 'run' && effect.job.course !== undefined
