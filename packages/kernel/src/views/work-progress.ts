// The use of models and the progress of the work, in the wire's spelling: details and rows of lists show them.
import { isStepAhead, type Step } from '../projections/reports/step.ts'
import type { Steps } from '../projections/reports/steps.ts'
import type { SessionState } from '../projections/state.ts'
import type { StepSummary, UsageSummary } from './row-detail.ts'

/** The sums of a session. Those of tokens and cost are the ones that its budgets are compared with. */
export const usageTotals = ({ usage, health }: Pick<SessionState, 'usage' | 'health'>) => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  total_tokens: health.tokens,
  cost_usd: usage.isPriced ? health.costUsd : null,
  context_usage_pct: usage.contextPct,
  model_calls: usage.modelCalls,
})

export const usageSummary = (state: Pick<SessionState, 'usage' | 'health'>): UsageSummary => {
  const { total_tokens, cost_usd } = usageTotals(state)
  return { total_tokens, cost_usd }
}

/** All steps: those that were told one by one, then those of the plan. */
export const allSteps = ({ latest, plan }: Steps): readonly Step[] => [...latest, ...(plan?.steps ?? [])]

/** The step that the work has reached. A plan counts while it is of this turn or unfinished, and before single steps. */
export const currentStep = ({ turn, latest, plan }: Steps): StepSummary | null => {
  const isCurrent = plan && (plan.runId === turn || plan.steps.some(({ endedAt }) => endedAt === null))
  if (isCurrent) {
    const { steps, total } = plan
    const underWay = steps.findIndex(({ status, endedAt }) => endedAt === null && !isStepAhead(status))
    const ahead = steps.findIndex(({ endedAt }) => endedAt === null)
    const index = underWay >= 0 ? underWay : ahead >= 0 ? ahead : steps.length - 1
    const { title, status } = steps[index] as Step
    return { index: index + 1, total, title, status }
  }
  const step = latest.findLast(({ runId }) => runId === turn)
  return step ? { index: step.index, total: step.total, title: step.title, status: step.status } : null
}

/** The time of the next attempt; null: none is due, or the session is paused before it. */
export const retryAtOf = ({ lifecycle: { run, paused } }: SessionState): number | null =>
  run?.phase === 'waiting' && !paused ? run.retryAt : null

/** The model of the last run, as cards name it: the one that the session was made with, unless another one had to answer. */
export const modelOf = ({ lifecycle: { settings, runtime } }: SessionState): string | null =>
  typeof settings.model === 'string' && !runtime.isFallback ? settings.model : runtime.model
