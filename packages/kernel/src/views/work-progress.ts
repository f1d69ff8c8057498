// In the wire's spelling, for details and list rows.
import { isStepAhead, type Step } from '../projections/reports/step.ts'
import type { Steps } from '../projections/reports/steps.ts'
import type { SessionState } from '../projections/state.ts'
import type { StepSummary, UsageSummary } from './row-detail.ts'

/** Tokens and cost are the sums that budgets are compared with. */
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

export const allSteps = ({ latest, plan }: Steps): readonly Step[] => [...latest, ...(plan?.steps ?? [])]

/** A plan of this turn, or an unfinished one, takes precedence over single steps. */
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

/** Null if no retry is due, or the session is paused. */
export const retryAtOf = ({ lifecycle: { run, paused } }: SessionState): number | null =>
  run?.phase === 'waiting' && !paused ? run.retryAt : null

/** The model of the settings, unless the last run asked for another or a fallback answered. */
export const modelOf = ({ lifecycle: { settings, runtime } }: Pick<SessionState, 'lifecycle'>): string | null => {
  const { model: own } = settings
  if (typeof own !== 'string') return runtime.model
  // Settings may name the provider too; a run names only the model.
  const isOwn = runtime.model === null || own === runtime.model || own.endsWith(`/${runtime.model}`)
  return isOwn && !runtime.isFallback ? own : runtime.model
}
