// The plan of an agent, as it last told it: a list of steps in one event, or an event for each step.
import type { ChatSession, FrontendState } from 'bridle/client'

/** Steps of a plan that are shown before the one that is next. */
const PLAN_STEPS_BEFORE = 4
/** Steps of a plan, around the one that is next: a long plan would push the calls off the screen. */
const PLAN_STEPS = 10
/** Most plans have fewer steps; more marks would fill the strip. */
const STEP_MARKS = 12

export interface PlanStep {
  readonly key: string
  readonly title: string
  readonly status: StepStatus
  /** In ms; null where nobody told when the step began and ended. */
  readonly tookMs: number | null
}

export const STEP_WORDS = {
  open: 'open',
  running: 'in progress',
  done: 'done',
  stopped: 'stopped',
  failed: 'failed',
} as const

export type StepStatus = keyof typeof STEP_WORDS

type Steps = FrontendState['steps']

/** A step as the session's detail has it, with its times. */
type TimedStep = ChatSession['steps'][number]

export const planSteps = (steps: Steps, timed: readonly TimedStep[] = []): readonly PlanStep[] => {
  const plan = steps.findLast((step) => Array.isArray(step.plan))?.plan
  if (Array.isArray(plan)) return plan.map((step, index) => listedStep(step, index, timed))
  if (timed.length > 0) return timed.map((step) => ({ key: step.step, title: step.title, ...timesOf(step) }))
  const byId = new Map<string, PlanStep>()
  for (const [index, { step_id: id = `#${index}`, summary, status }] of steps.entries()) {
    const before = byId.get(id)
    byId.set(id, { key: id, title: summary ?? before?.title ?? id, status: stepStatus(status), tookMs: null })
  }
  return [...byId.values()]
}

export interface PlanCount {
  readonly text: string
  /** A mark for each step; none where nobody told their number, or where it is too large. */
  readonly marks: readonly StepStatus[]
}

/** How far the work is, as the session tells it: an agent may tell its steps one by one, and their number with the first. */
export const planCount = ({ index, total, status }: NonNullable<ChatSession['step']>): PlanCount => {
  if (total === null) return { text: `step ${index}`, marks: [] }
  const markAt = (at: number): StepStatus => (at < index ? 'done' : at > index ? 'open' : stepStatus(status))
  return {
    text: `step ${index} of ${total}`,
    marks: total > STEP_MARKS ? [] : Array.from({ length: total }, (_, at) => markAt(at + 1)),
  }
}

export const stepsAroundNext = (steps: readonly PlanStep[]): readonly PlanStep[] => {
  if (steps.length <= PLAN_STEPS) return steps
  const next = steps.findIndex(({ status }) => status !== 'done')
  const from = next < 0 ? steps.length : next - PLAN_STEPS_BEFORE
  const first = Math.max(0, Math.min(from, steps.length - PLAN_STEPS))
  return steps.slice(first, first + PLAN_STEPS)
}

const listedStep = (step: unknown, index: number, timed: readonly TimedStep[]): PlanStep => {
  const { text, title, status } = (typeof step === 'object' && step !== null ? step : { text: step }) as {
    readonly [name: string]: unknown
  }
  const name = String(text ?? title ?? `Step ${index + 1}`)
  const known = timed.find((each) => each.title === name)
  return {
    key: `${index} ${name}`,
    title: name,
    status: status === undefined ? 'open' : stepStatus(status),
    tookMs: known ? timesOf(known).tookMs : null,
  }
}

const timesOf = ({ status, started_at: from, ended_at: to }: TimedStep): Pick<PlanStep, 'status' | 'tookMs'> => ({
  status: stepStatus(status),
  tookMs: from === null || to === null ? null : Date.parse(to) - Date.parse(from),
})

/** The words of agents differ; one that is not known is a step that goes on. */
export const stepStatus = (status: unknown): StepStatus => words[String(status ?? '').toLowerCase()] ?? 'running'

const words: { readonly [word: string]: StepStatus } = {
  pending: 'open',
  queued: 'open',
  todo: 'open',
  running: 'running',
  in_progress: 'running',
  started: 'running',
  done: 'done',
  ok: 'done',
  completed: 'done',
  complete: 'done',
  skipped: 'done',
  failed: 'failed',
  error: 'failed',
  // Somebody ended the turn, or a branch left the step: nothing failed.
  cancelled: 'stopped',
  stopped: 'stopped',
  interrupted: 'stopped',
}
