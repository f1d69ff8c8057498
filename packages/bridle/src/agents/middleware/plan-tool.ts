// The tool `update_plan`, with which the model keeps its plan.
import type { Json, JsonObject } from '../../kernel/json.ts'
import { SESSION_MEMORY_VALUE_CHARS_MAX } from '../../kernel/limits.ts'
import { type SchemaIssue, writtenSchema } from '../schemas/standard-schema.ts'
import { tool } from '../tools/tool.ts'
import { PLAN_STEP_CHARS_MAX, PLAN_STEPS_MAX } from './limits.ts'

const STATUSES = ['pending', 'in_progress', 'done'] as const

/** A step of a plan. */
export type PlanStep = { readonly text: string; readonly status: (typeof STATUSES)[number] }

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

export const PLAN_STEP_ID = 'plan'

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
