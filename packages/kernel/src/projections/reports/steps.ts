// Steps that the agent reported one by one, and its newest plan.

import { isJsonObject, type Json } from '@bridle/events/json'
import { SUMMARY_CHARS_MAX } from '@bridle/events/limits'
import type { Payloads } from '@bridle/events/schemas'
import type { AnyEvent, Event } from '../../event.ts'
import { truncate } from '../../text/truncate.ts'
import type { Projection } from '../projection.ts'
import { isStepAhead, isStepOver, type Step } from './step.ts'

/** Enough for a page that a person reads. Older ones are in the log. */
export const STEPS_MAX = 50

export interface Steps {
  readonly turn: string | null
  /** The newest steps outside of a plan, in order. */
  readonly latest: readonly TurnStep[]
  /** Outlives its turn. */
  readonly plan: Plan | null
}

export interface TurnStep extends Step {
  readonly runId: string | null
  /** From 1; counted if not reported. */
  readonly index: number
  readonly total: number | null
}

export const steps: Projection<Steps> = {
  initial: { turn: null, latest: [], plan: null },
  on: {
    turn_start: (state, { payload: { turn_id } }) => ({ ...state, turn: turn_id }),
    step_progress: (state, event) => {
      const plan = planOf(event, state.plan)
      return plan ? { ...state, plan } : { ...state, latest: withStep(state.latest, event) }
    },
    // An ended turn has no step in progress, even if the agent did not report its end.
    turn_end: (state, { seq, at, payload: { turn_id, status } }) =>
      withOpenSteps(state, (step) => (step.runId === turn_id ? { ...step, status, endedAt: at, seq } : step)),
  },
}

/** Open steps end with the history before a branch or import: the turn's end is written later, after the work stopped. */
export const withStepsLeft = (state: Steps, { type, seq }: AnyEvent, historyEnd: number): Steps =>
  type === 'branched' || type === 'session_imported'
    ? withOpenSteps(state, (step) => ({ ...step, status: 'cancelled', endedAt: historyEnd, seq }))
    : state

const withOpenSteps = (state: Steps, end: (step: TurnStep) => TurnStep): Steps => {
  const latest = state.latest.map((step) => (step.endedAt === null ? end(step) : step))
  // Keep the same object if nothing changed: readers compare it.
  return latest.some((step, at) => step !== state.latest[at]) ? { ...state, latest } : state
}

/** Updates a step in progress. A report about a finished step starts the same step again. */
const withStep = (latest: readonly TurnStep[], event: Event<'step_progress'>): readonly TurnStep[] => {
  const { seq, at, payload, run = null } = event
  const { step_id, status = 'running' } = payload
  const number = latest.findLast(({ runId }) => runId === run)?.index ?? 0
  const id = truncate(step_id ?? String(number + 1), SUMMARY_CHARS_MAX)
  const isOver = isStepOver(status)
  const open = latest.find((step) => step.id === id && step.runId === run && step.endedAt === null)
  const step: TurnStep = {
    id,
    title: titleOf(payload) ?? open?.title ?? id,
    status: truncate(status, SUMMARY_CHARS_MAX),
    startedAt: open ? open.startedAt : isOver ? null : at,
    endedAt: isOver ? at : null,
    seq,
    runId: run,
    index: countOf(payload.index) ?? open?.index ?? number + 1,
    total: countOf(payload.total) ?? open?.total ?? null,
  }
  return open ? latest.map((each) => (each === open ? step : each)) : [...latest.slice(1 - STEPS_MAX), step]
}

const titleOf = ({ title, summary }: Payloads['step_progress']): string | null => {
  // Older logs may have any type here.
  const text = typeof title === 'string' ? title : summary
  return text ? truncate(text, SUMMARY_CHARS_MAX) : null
}

const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null

interface Plan {
  readonly runId: string | null
  /** May exceed the number of steps that are kept. */
  readonly total: number
  readonly steps: readonly Step[]
}

/** Steps keep the times of the previous plan. Null if the event has no list of steps. */
const planOf = (event: Event<'step_progress'>, before: Plan | null): Plan | null => {
  const { plan, step_id = 'plan' } = event.payload
  if (!Array.isArray(plan) || plan.length === 0) return null
  const entries = plan.slice(0, STEPS_MAX).map(entryOf)
  if (entries.some((entry) => entry === null)) return null
  const name = truncate(step_id, SUMMARY_CHARS_MAX)
  const steps = (entries as PlanEntry[]).map((entry, index) =>
    stepOf(
      event,
      `${name}.${index + 1}`,
      entry,
      before?.steps.find(({ title }) => title === entry.title),
    ),
  )
  return { runId: event.run ?? null, total: plan.length, steps }
}

interface PlanEntry {
  readonly title: string
  readonly status: string
}

const entryOf = (entry: Json): PlanEntry | null => {
  if (typeof entry === 'string') return { title: brief(entry), status: 'pending' }
  if (!isJsonObject(entry)) return null
  const title = TITLE_FIELDS.map((field) => entry[field]).find((value) => typeof value === 'string')
  if (typeof title !== 'string') return null
  return { title: brief(title), status: typeof entry.status === 'string' ? brief(entry.status) : 'pending' }
}

const TITLE_FIELDS = ['text', 'title', 'step', 'content', 'name', 'summary']

const stepOf = (
  { seq, at }: Event<'step_progress'>,
  id: string,
  { title, status }: PlanEntry,
  earlier: Step | undefined,
): Step => ({
  id,
  title,
  status,
  startedAt: earlier?.startedAt ?? (isStepAhead(status) || isStepOver(status) ? null : at),
  endedAt: isStepOver(status) ? (earlier?.endedAt ?? at) : null,
  seq: earlier?.status === status ? earlier.seq : seq,
})

const brief = (text: string): string => truncate(text, SUMMARY_CHARS_MAX)
