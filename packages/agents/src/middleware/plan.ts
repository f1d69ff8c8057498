// `plan()`: the model keeps a plan of its work, which outlives the turn and which people see.
import type { Json, JsonObject } from '@bridle/events/json'
import { SESSION_MEMORY_VALUE_CHARS_MAX } from '@bridle/events/limits'
import { type SchemaIssue, writtenSchema } from '../schemas/standard-schema.ts'
import { tool } from '../tools/tool.ts'
import type { Middleware } from './middleware.ts'

/** Steps of a plan: a longer one is a list of tasks, and belongs into a file. */
const PLAN_STEPS_MAX = 30
/** Characters of a step of a plan: thirty of them fit into one value of the session's memory. */
const PLAN_STEP_CHARS_MAX = 200

/** Middleware with the tool `update_plan`. A turn that begins with an unfinished plan has it before the model. */
export const plan = (): Middleware => ({
  name: 'plan',
  tools: [updatePlan],
  start: async ({ memory }) => {
    const steps = await memory.get<PlanStep[]>(PLAN_STEP_ID)
    if (!Array.isArray(steps) || steps.every(({ status }) => status === 'done')) return undefined
    return [{ text: `[The plan so far. Keep it up to date with ${updatePlan.name}.]\n${steps.map(line).join('\n')}` }]
  },
  // Here and not in the tool: the plan, its events and the outcome of the call are one write.
  after: async ({ tool: name, memory, emit }, result) => {
    if (name !== updatePlan.name) return undefined
    // A middleware behind the tool may have replaced the result by something that is no plan.
    const { steps } = (result ?? {}) as { readonly steps?: readonly PlanStep[] }
    const progress = planProgress(steps)
    if (!steps || progress === null) return undefined
    const { plan, status, summary } = progress
    const isChanged = JSON.stringify(plan) !== JSON.stringify(await memory.get(PLAN_STEP_ID))
    emit('step_progress', progress)
    if (!isChanged) return undefined
    await memory.set(PLAN_STEP_ID, plan)
    const current = steps.find((step) => step.status === 'in_progress')
    const text = current ? `${summary} Now: ${current.text}` : summary
    emit('session_checkpoint', { checkpoint_type: 'plan', status, summary_text: text, resume_cursor: null })
    return undefined
  },
})

const MARKS = { pending: '[ ]', in_progress: '[>]', done: '[x]' } as const
const line = ({ text, status }: PlanStep): string => `${MARKS[status]} ${text}`

const STATUSES = ['pending', 'in_progress', 'done'] as const

/** A step of a plan. */
type PlanStep = { readonly text: string; readonly status: (typeof STATUSES)[number] }

const issuesOf = (steps: unknown): readonly SchemaIssue[] => {
  if (!Array.isArray(steps) || steps.length > PLAN_STEPS_MAX)
    return [{ path: ['steps'], message: `Write a list of at most ${PLAN_STEPS_MAX} steps.` }]
  return steps.flatMap((step: Partial<PlanStep> | null, index) => {
    const { text, status } = step ?? {}
    const isText = typeof text === 'string' && text !== '' && text.length <= PLAN_STEP_CHARS_MAX
    if (isText && STATUSES.some((each) => each === status)) return []
    const message = `Write { text, status }, with at most ${PLAN_STEP_CHARS_MAX} characters and one of ${STATUSES.join(', ')}.`
    return [{ path: ['steps', index], message }]
  })
}

const stepSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1, maxLength: PLAN_STEP_CHARS_MAX },
    status: { type: 'string', enum: [...STATUSES] },
  },
  required: ['text', 'status'],
  additionalProperties: false,
}

const input = writtenSchema<{ readonly steps: readonly PlanStep[] }>(
  () => ({
    type: 'object',
    properties: { steps: { type: 'array', items: stepSchema, maxItems: PLAN_STEPS_MAX } },
    required: ['steps'],
    additionalProperties: false,
  }),
  (value) => {
    const { steps } = value as { readonly steps?: unknown }
    const issues = issuesOf(steps)
    if (issues.length > 0) return { issues }
    return { value: { steps: (steps as PlanStep[]).map(({ text, status }) => ({ text, status })) } }
  },
)

/** The id of the plan in `step_progress`, and its key in the memory of the session. */
const PLAN_STEP_ID = 'plan'

interface PlanProgress extends JsonObject {
  readonly step_id: string
  readonly status: string
  readonly summary: string
  readonly plan: Json
}

/** The `step_progress` of a plan; null: the value is not a plan. */
export const planProgress = (steps: unknown): PlanProgress | null => {
  if (issuesOf(steps).length > 0) return null
  const plan = (steps as readonly PlanStep[]).map(({ text, status }) => ({ text, status }))
  const done = plan.filter(({ status }) => status === 'done').length
  const status = done === plan.length ? 'completed' : 'in_progress'
  return { step_id: PLAN_STEP_ID, status, summary: `${done} of ${plan.length} steps are done.`, plan }
}

export const updatePlan = tool({
  name: 'update_plan',
  description:
    'Keeps the plan of your work. Call it for work of several steps: with all steps before you begin, and again with all of them whenever the status of one changes. People see the plan.',
  input,
  effect: 'idempotent',
  always: true,
  run: ({ steps }) => {
    if (JSON.stringify(steps).length > SESSION_MEMORY_VALUE_CHARS_MAX)
      throw new RangeError('The plan is too long. Write fewer or shorter steps.')
    return { steps }
  },
})
