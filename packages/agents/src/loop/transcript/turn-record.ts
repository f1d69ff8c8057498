// The turn in progress, as the log tells it: its answers, its calls, its failures, and the time that it worked. `next` reads it.

import type { Payloads } from '@bridle/events/schemas'
import type { AnyEvent } from '@bridle/kernel/event'
import type { StepContent } from '../../model/model.ts'
import { askingCallOf } from '../calls/call-questions.ts'
import type { CallView } from './rendering.ts'

/** Calls of each tool that a turn looks back at: one more than the rules about equal and invalid calls need. */
const RECENT_CALLS = 3

/** Sources of a `context_added` that the loop itself writes. */
export const OUTPUT_REMINDER = 'output_reminder'
export const RESULT_EXCERPT = 'result_excerpt'
/** The beginnings of the sources of middleware, ahead of its name: a note at the start of a turn, and an answer that is sent back. */
export const NOTE_SOURCE = 'middleware:'
export const REVIEW_SOURCE = 'review:'

/** Kinds of a `transport_diagnostic` about a model that failed. In older logs a fallback is of the first kind, with the status `fallback`. */
export const MODEL_FAILURE = 'model'
export const PROVIDER_FALLBACK = 'provider_fallback'
/** The kind of one about a summary, and the status of one after which room is made. */
export const COMPACTION = 'compaction'
export const COMPACTING = 'compacting'
/** Kinds of a `context_warning`: the window is nearly full, and no room could be made. */
export const CONTEXT_USAGE = 'context_usage'
export const COMPACTION_FAILED = 'compaction_failed'

/** The id of a step in its `step_progress`. */
export const stepId = (run: string, step: number): string => `${run}.${step}`

export class TurnRecord {
  #run: string
  /** Answers of the model so far. */
  steps = 0
  callCount = 0
  #earlier: readonly CallView[] = []
  last: { readonly content: readonly StepContent[]; readonly calls: readonly CallView[] } | null = null
  /** Waves of the last answer that have begun. */
  waves = 0
  /** Something was put before the model since its last answer. */
  hasNews = false
  /** How often the model was told that its output does not fit. */
  reminders = 0
  /** The log has everything that the functions `start` of the middleware decided. */
  isStarted = false
  /** The last step of which the log says that it is finished. */
  finishedStep = 0
  reviews = 0
  isSentBack = false
  /** The names of the tools that the model is offered; null: the log does not have them yet. */
  offered: readonly string[] | null = null
  /** The names of them that were chosen by relevance, the best first. */
  chosen: readonly string[] = []
  failures = 0
  /** How often a child session could not be reached since the last answer. */
  childFailures = 0
  /** The model of the agent's list that is asked now. */
  model = 0
  /** Failed summaries of the conversation since the last cut. */
  summaryFailures = 0
  /** Room for the conversation could not be made: the turn does without. */
  isCompactionOver = false
  /** The provider refused the request as too long, since the last answer: room is to be made, or was made once. */
  overflow: 'none' | 'reported' | 'handled' = 'none'
  /** The time before which the model is not asked again. */
  retryAt: number | null = null
  #workMs = 0
  /** Open questions of running calls. */
  readonly #asked = new Set<string>()
  /** The last moment of work; null: the run does not work. */
  #workedAt: number | null = null

  constructor(run: string) {
    this.#run = run
  }

  get run(): string {
    return this.#run
  }

  /** The calls of the last answer, and before them those of earlier answers that say something about the next call. */
  get history(): readonly CallView[] {
    return [...this.#earlier, ...(this.last?.calls ?? [])]
  }

  /** The run of a branch continues the turn of its parent. */
  continueAs(run: string): void {
    this.#run = run
    this.#forgetFailures()
    this.#workedAt = null
  }

  /** The time that the turn has worked; waiting, and the time without an owner, do not count. */
  workMs(now: number): number {
    return this.#workMs + (this.#workedAt === null ? 0 : Math.max(0, now - this.#workedAt))
  }

  addStep(payload: Payloads['model_step'], content: readonly StepContent[], calls: readonly CallView[]): void {
    this.steps = Math.max(this.steps, payload.step)
    this.#earlier = relevant(this.history)
    this.last = { content, calls }
    this.callCount += calls.length
    this.waves = 0
    this.hasNews = false
    this.isSentBack = false
    this.failures = 0
    this.childFailures = 0
    this.retryAt = null
    this.overflow = 'none'
  }

  add(event: AnyEvent): void {
    if (event.run !== this.#run) return
    this.#countWork(event)
    // A new attempt is a new chance for every model.
    if (event.type === 'run_started') this.#forgetFailures()
    if (event.type === 'tool_batch') this.waves += 1
    if (event.type === 'turn_start_tools') this.#offer(event.payload)
    if (event.type === 'hook_event' && event.payload.phase === 'start') this.isStarted = true
    if (event.type === 'context_added') this.#addContext(event.payload.source)
    if (event.type === 'step_progress' && event.payload.step_id === stepId(this.#run, this.steps))
      this.finishedStep = this.steps
    if (event.type === 'transport_diagnostic') this.#countFailure(event.payload)
    if (event.type === 'context_compacted') this.#endCompaction(false)
    if (event.type === 'context_warning' && event.payload.kind === COMPACTION_FAILED) this.#endCompaction(true)
  }

  #addContext(source: string): void {
    if (source === OUTPUT_REMINDER) this.reminders += 1
    if (source !== RESULT_EXCERPT) this.hasNews = true
    if (!source.startsWith(REVIEW_SOURCE)) return
    this.reviews += 1
    this.isSentBack = true
  }

  #offer({ tools, chosen = [] }: Payloads['turn_start_tools']): void {
    this.offered = tools
    this.chosen = chosen
  }

  #forgetFailures(): void {
    this.failures = 0
    this.model = 0
    this.retryAt = null
    this.summaryFailures = 0
    this.isCompactionOver = false
    this.overflow = 'none'
  }

  #endCompaction(isOver: boolean): void {
    this.summaryFailures = 0
    this.isCompactionOver = isOver
    this.retryAt = null
    if (this.overflow === 'reported') this.overflow = 'handled'
  }

  #countFailure(payload: Payloads['transport_diagnostic']): void {
    const { kind, status, failure_count: failures, model_index: model, retry_at: retryAt } = payload
    if (kind === 'subagent') this.childFailures += 1
    if (kind !== MODEL_FAILURE && kind !== PROVIDER_FALLBACK && kind !== COMPACTION) return
    if (status === COMPACTING) this.overflow = 'reported'
    this.retryAt = typeof retryAt === 'number' ? retryAt : null
    if (kind === COMPACTION) {
      this.summaryFailures = failures ?? this.summaryFailures
      return
    }
    // A fallback ends the count of failures: the next model has none yet.
    this.failures = kind === PROVIDER_FALLBACK ? 0 : (failures ?? this.failures)
    this.model = model ?? this.model
  }

  /** Only the runner's own reports are signs of work: a prompt or an answer may come while nobody has the run. */
  #countWork(event: AnyEvent): void {
    const { type, at, frame } = event
    if (type === 'run_started' || type === 'run_resumed') this.#workedAt = at
    const isIdle = IDLE.has(type) || (type === 'approval_required' && askingCallOf(event.payload.tool_call_id) !== null)
    // A call asked a person, and waits in its process for the answer.
    if (isIdle && type === 'approval_required') this.#asked.add(event.payload.request_id)
    if (type === 'approval_decided' && this.#asked.delete(event.payload.request_id)) this.#workedAt = at
    if (this.#workedAt === null || (frame === undefined && !isIdle)) return
    this.#workMs += at - this.#workedAt
    this.#workedAt = isIdle ? null : at
  }
}

/** The last calls of each tool and those that were denied. A turn may have thousands of calls, and looks back in each step. */
const relevant = (calls: readonly CallView[]): readonly CallView[] => {
  const later = new Map<string, number>()
  const isRelevant = ({ call: { tool }, outcome }: CallView): boolean => {
    const count = later.get(tool) ?? 0
    later.set(tool, count + 1)
    return count < RECENT_CALLS || outcome?.status === 'denied'
  }
  return calls.toReversed().filter(isRelevant).reverse()
}

/** After these nobody works on the run until it is started or taken up again. */
const IDLE: ReadonlySet<string> = new Set([
  'run_waiting',
  'run_parked',
  'cancel_requested',
  'retry_scheduled',
  'turn_end',
])
