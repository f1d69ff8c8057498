// `plan()`: the model keeps a plan of its work, which outlives the turn and which people see.
import type { Middleware } from './middleware.ts'
import { PLAN_STEP_ID, type PlanStep, planProgress, updatePlan } from './plan-tool.ts'

/** Middleware with the tool `update_plan`. A turn that begins with an unfinished plan has it before the model. */
export const plan = (): Middleware => ({
  name: 'plan',
  tools: [updatePlan],
  start: async ({ memory }) => {
    const steps = await memory.get<PlanStep[]>(MEMORY_KEY)
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
    const isChanged = JSON.stringify(plan) !== JSON.stringify(await memory.get(MEMORY_KEY))
    emit('step_progress', progress)
    if (!isChanged) return undefined
    await memory.set(MEMORY_KEY, plan)
    const current = steps.find((step) => step.status === 'in_progress')
    const text = current ? `${summary} Now: ${current.text}` : summary
    emit('session_checkpoint', { checkpoint_type: 'plan', status, summary_text: text, resume_cursor: null })
    return undefined
  },
})

const MEMORY_KEY = PLAN_STEP_ID
const MARKS = { pending: '[ ]', in_progress: '[>]', done: '[x]' } as const
const line = ({ text, status }: PlanStep): string => `${MARKS[status]} ${text}`
