// Compares the wanted effects with those in hand: starts what is missing, lets go of what is no longer wanted.

import type { ParentNotifiedCommand, ReportItem, RunReport } from '../commands.ts'
import { TOKEN_PACE_MS } from '../limits.ts'
import type { Clock } from '../ports/clock.ts'
import type { Job, RunEnd, Runner } from '../ports/runner.ts'
import type { ChildNotice } from '../rules/children/child-notice.ts'
import type { WantedEffect } from '../rules/wanted-effects.ts'
import { ReporterClosedError, RunReporter } from './run-reporter.ts'

/** A runner whose stream breaks is asked again this often before its run counts as lost. */
const REATTACH_MAX = 5
const RETRY_MS = 1_000

export interface EffectRunnerOptions {
  readonly runner: Runner
  readonly clock: Clock
  readonly tokenPaceMs?: number
  readonly send: (command: RunReport | ParentNotifiedCommand) => Promise<unknown>
  /** Resolves when the session that this one was started from has the notice, or is not there. */
  readonly notifyParent: (notice: ChildNotice) => Promise<void>
  /** An effect failed and should be tried again: reconcile once more. */
  readonly retry: () => void
}

export class EffectRunner {
  readonly #options: EffectRunnerOptions
  readonly #active = new Map<string, () => void>()
  #jobs: ReadonlyMap<string, Job> = new Map()

  constructor(options: EffectRunnerOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#active.size
  }

  reconcile(effects: readonly WantedEffect[]): void {
    this.#jobs = new Map(effects.flatMap((effect) => ('job' in effect ? [[effect.id, effect.job]] : [])))
    const wanted = new Set(effects.map(({ id }) => id))
    for (const [id, letGo] of this.#active) {
      if (wanted.has(id)) continue
      this.#active.delete(id)
      letGo()
    }
    for (const effect of effects) if (!this.#active.has(effect.id)) this.#start(effect)
  }

  stop(): void {
    this.reconcile([])
  }

  #start(effect: WantedEffect): void {
    const { runner, send, notifyParent } = this.#options
    if (effect.kind === 'run') return this.#run(effect)
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
      const { answer, job } = effect
      const delivered: ReportItem = { type: 'approval_delivered', requestId: answer.requestId }
      return this.#askRunner(effect, () => runner.answer(job, answer).then(() => delivered))
    }
    const { message, job } = effect
    const delivered: ReportItem = { type: 'steer_delivered', messageId: message.messageId }
    return this.#askRunner(effect, async () => {
      await runner.steer?.(job, message)
      return delivered
    })
  }

  /** An effect that is over when the runner says so. */
  #askRunner({ id, job }: Exclude<WantedEffect, { kind: 'tell_parent' }>, act: () => Promise<ReportItem>): void {
    this.#attempt(id, () => act().then((item) => this.#report(job, item)))
  }

  /** A failure is tried again while the effect is still wanted. */
  #attempt(id: string, act: () => Promise<unknown>): void {
    const { clock, retry } = this.#options
    this.#active.set(id, () => {})
    Promise.resolve()
      .then(act)
      .catch(() => {
        if (!this.#active.has(id)) return
        const forget = clock.after(RETRY_MS, () => {
          this.#active.delete(id)
          retry()
        })
        this.#active.set(id, forget)
      })
  }

  #run({ id, job, started }: WantedEffect & { kind: 'run' }): void {
    const { runner, clock, send, tokenPaceMs = TOKEN_PACE_MS } = this.#options
    const reporter = new RunReporter({
      runId: job.runId,
      attempt: job.attempt,
      frame: job.frame,
      clock,
      tokenPaceMs,
      send,
    })
    this.#active.set(id, () => reporter.close())
    Promise.resolve()
      .then(() =>
        this.#follow(id, reporter, async () => (started ? runner.attach(job, reporter) : runner.start(job, reporter))),
      )
      // Through the reporter: text that waits for its pace belongs before the end.
      .then((item) => (reporter.closed || item === null ? undefined : reporter.report([item])))
      // The session is gone; whoever opens it next finds the run in the log.
      .catch(() => {})
  }

  /** A stream that ends without a terminal event is taken up again; if that fails the run is lost. */
  async #follow(id: string, reporter: RunReporter, begin: () => Promise<RunEnd>): Promise<ReportItem | null> {
    const { runner, clock } = this.#options
    try {
      let end = await begin()
      for (let tries = 0; end === 'cut' && tries < REATTACH_MAX; tries++) {
        await new Promise<void>((resolve) => clock.after(RETRY_MS * tries, resolve))
        // As it is by now: where it runs and what it waits for was not known when it began.
        const job = this.#jobs.get(id)
        if (reporter.closed || !job) return null
        const { frame } = reporter
        end = await runner.attach({ ...job, frame }, reporter)
        // A stream that gets on is not lost, however often it is cut.
        if (reporter.frame > frame) tries = -1
      }
      // Given up, it may still be at work somewhere: it should not be.
      const job = this.#jobs.get(id)
      if (end === 'cut' && job) runner.abort(job).catch(() => {})
      // After a terminal report this comes too late to count; without one, `done` leaves the run to nobody.
      return { type: 'lost', message: 'The run was interrupted.' }
    } catch (error) {
      if (error instanceof ReporterClosedError || reporter.closed) return null
      return { type: 'failed', message: error instanceof Error ? error.message : String(error) }
    }
  }

  #report(job: Job, item: ReportItem): Promise<unknown> {
    return this.#options.send({ type: 'report', runId: job.runId, attempt: job.attempt, frame: null, items: [item] })
  }
}
