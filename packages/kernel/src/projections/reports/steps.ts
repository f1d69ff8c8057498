// The steps of a session's work: those that its agent tells one by one, and the newest plan.

import { isJsonObject, type Json } from '@bridle/events/json'
import { SUMMARY_CHARS_MAX } from '@bridle/events/limits'
import type { Payloads } from '@bridle/events/schemas'
import type { AnyEvent, Event } from '../../event.ts'
import { truncate } from '../../text/truncate.ts'
import type { Projection } from '../projection.ts'
import { isStepAhead, isStepOver, type Step } from './step.ts'

/** Steps and citations in a detail: a page that a person reads. Older ones are in the log. */
export const STEPS_MAX = 50

export interface Steps {
  /** The current or last turn. */
  readonly turn: string | null
  /** The newest steps that were told one by one, oldest first. */
  readonly latest: readonly TurnStep[]
  /** A plan outlives its turn. */
  readonly plan: Plan | null
}

export interface TurnStep extends Step {
  readonly runId: string | null
  /** The number in the turn, from 1: as told, or else counted. */
  readonly index: number
  /** As told; null: not known. */
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
    // A turn that has ended has no step under way, whether or not its agent came to tell.
    turn_end: (state, { seq, at, payload: { turn_id, status } }) =>
      withOpenSteps(state, (step) => (step.runId === turn_id ? { ...step, status, endedAt: at, seq } : step)),
  },
}

/**
 * A branch and an import leave the steps that were under way in the history before them. Such a step ends with the last event of
 * that history, at `historyEnd`: the end of its turn is written later, when nobody has worked on it for a while.
 */
export const withStepsLeft = (state: Steps, { type, seq }: AnyEvent, historyEnd: number): Steps =>
  type === 'branched' || type === 'session_imported'
    ? withOpenSteps(state, (step) => ({ ...step, status: 'cancelled', endedAt: historyEnd, seq }))
    : state

const withOpenSteps = (state: Steps, end: (step: TurnStep) => TurnStep): Steps => {
  const latest = state.latest.map((step) => (step.endedAt === null ? end(step) : step))
  // A state that did not change stays the same object: readers compare it.
  return latest.some((step, at) => step !== state.latest[at]) ? { ...state, latest } : state
}

/** A report about a step that is under way changes it; a report about one that had ended is of the same step done again. */
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
  // Older logs may have anything under a name that the schema did not know.
  const text = typeof title === 'string' ? title : summary
  return text ? truncate(text, SUMMARY_CHARS_MAX) : null
}

const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null

interface Plan {
  readonly runId: string | null
  /** The number of its steps; more than are kept where the plan is longer than anybody reads. */
  readonly total: number
  readonly steps: readonly Step[]
}

/** The plan of an event, whose steps keep the times of the plan before; null: the event has no list of steps. */
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
