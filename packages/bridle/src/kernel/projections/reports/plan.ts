// A plan in a `step_progress`: a list of steps, each with its status. Agents write them in different ways.
import type { Event } from '../../event.ts'
import { isJsonObject, type Json } from '../../json.ts'
import { STEPS_MAX, SUMMARY_CHARS_MAX } from '../../limits.ts'
import { truncate } from '../../text/truncate.ts'
import { isStepAhead, isStepOver, type Step } from './step.ts'

export interface Plan {
  readonly runId: string | null
  /** The number of its steps; more than are kept where the plan is longer than anybody reads. */
  readonly total: number
  readonly steps: readonly Step[]
}

/** The plan of an event, whose steps keep the times of the plan before; null: the event has no list of steps. */
export const planOf = (event: Event<'step_progress'>, before: Plan | null): Plan | null => {
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
