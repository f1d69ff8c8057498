import { STUCK_MS } from '@bridle/events/limits'
import type { BudgetName, Policy, SessionStatus } from '@bridle/events/schemas'
import type { Lifecycle } from '../lifecycle-state.ts'
import { budgetMeasures } from './budget-measures.ts'
import { runtimeMs } from './health.ts'
import { assessHealth, type HealthReport } from './health-score.ts'
import type { HealthFold } from './health-state.ts'

/** Leaves time to react. */
const BUDGET_HIGH_RATIO = 0.8

/** Health as people see it. Rules use `budgetsOverLimit`, so that the penalty of one budget does not cross `min_score`. */
export const assessWithBudgets = (
  fold: HealthFold,
  { policy, kind }: Pick<Lifecycle, 'policy' | 'kind'>,
  status: SessionStatus,
  now: number,
): { readonly report: HealthReport; readonly budgets: readonly BudgetPressure[] } => {
  const { score } = assessHealth(fold, status, now)
  const over = budgetPressures(fold, policy, { score, status, now }).flatMap(({ budget, level }) =>
    level === 'crossed' ? [budget] : [],
  )
  const report = assessHealth(fold, status, now, over, kind)
  return { report, budgets: budgetPressures(fold, policy, { score: report.score, status, now }) }
}

/** Time budgets count finished time only, so that the value changes with events alone. */
export const budgetPressures = (
  fold: HealthFold,
  policy: Policy,
  { score, status, now }: { score: number; status: SessionStatus; now: number },
): readonly BudgetPressure[] =>
  budgetsOf(policy).map(([budget, policyLimit]) => {
    const limit = limitOf(fold, budget, policyLimit)
    const isClock = budget === 'max_runtime_minutes'
    const value = isClock ? fold.ranMs / 60_000 : budgetMeasures[budget].value(fold, score, now)
    const isNear =
      budget === 'min_score' ? value < limit + (100 - limit) / 5 : limit > 0 && value >= limit * BUDGET_HIGH_RATIO
    const isHigh = isClock ? runtimeMs(fold, status === 'running' ? now : fold.activeAt) >= highMs(limit) : isNear
    return {
      budget,
      limit,
      value,
      level: budget in fold.crossed || isOver(budget, value, limit) ? 'crossed' : isHigh ? 'high' : 'ok',
    }
  })

export interface BudgetPressure {
  readonly budget: BudgetName
  readonly limit: number
  readonly value: number
  readonly level: 'ok' | 'high' | 'crossed'
}

type OverBudget = Omit<BudgetPressure, 'level'>

/** Rounded up, so that the timer does not fire just before the limit. */
const highMs = (minutes: number): number => Math.ceil(minutes * 60_000 * BUDGET_HIGH_RATIO)

/** A granted limit replaces the policy's. */
const limitOf = (fold: HealthFold, budget: BudgetName, limit: number): number =>
  fold.granted[budget] ?? stepLimit(budget, limit, fold.raised[budget] ?? 0)

/** `min_score` is halved per grant. Older logs grant other budgets in steps of the policy's limit. */
const stepLimit = (budget: BudgetName, limit: number, steps: number): number => {
  if (steps === 0) return limit
  // Rounding down lets halving reach zero.
  return budget === 'min_score' ? Math.floor(limit / 2 ** steps) : limit + steps * (limit || 1)
}

const isOver = (budget: BudgetName, value: number, limit: number): boolean => {
  if (budget === 'min_score') return value < limit
  return budget === 'max_runtime_minutes' ? wholeMs(value) > wholeMs(limit) : value > limit
}

/** Granted limits are sums of fractions. */
const wholeMs = (minutes: number): number => Math.round(minutes * 60_000)

/** The limits after an operator grants more: the amount spent plus the policy's limit. A limit of zero grows by one. */
export const grantedLimits = (
  fold: HealthFold,
  policy: Policy,
  now: number,
): { readonly [budget in BudgetName]?: number } => {
  const { score } = assessHealth({ ...fold, crossed: {} }, 'recovering', now)
  const crossed = budgetsOf(policy).filter(([budget]) => budget in fold.crossed)
  return Object.fromEntries(
    crossed.map(([budget, policyLimit]) => {
      if (budget === 'min_score') return [budget, halvedBelow(limitOf(fold, budget, policyLimit), score)]
      // JSON cannot represent Infinity.
      return [budget, Math.min(budgetMeasures[budget].value(fold, score, now) + (policyLimit || 1), Number.MAX_VALUE)]
    }),
  )
}

const halvedBelow = (limit: number, score: number): number => {
  let halved = Math.floor(limit / 2)
  while (halved > score) halved = Math.floor(halved / 2)
  return halved
}

/** Each crossing is reported once until an operator raises the budget. */
export const newlyCrossedBudgets = (
  fold: HealthFold,
  policy: Policy,
  status: SessionStatus,
  now: number,
): readonly OverBudget[] =>
  budgetsOverLimit(fold, policy, status, now).filter(({ budget }) => !(budget in fold.crossed))

/** A crossed budget stays crossed until an operator raises it. */
export const budgetsOverLimit = (
  fold: HealthFold,
  policy: Policy,
  status: SessionStatus,
  now: number,
): readonly OverBudget[] => {
  if (!policy.health) return []
  const { score } = assessHealth(fold, status, now)
  return budgetsOf(policy).flatMap(([budget, policyLimit]) => {
    const limit = limitOf(fold, budget, policyLimit)
    const value = budgetMeasures[budget].value(fold, score, now)
    return isOver(budget, value, limit) || budget in fold.crossed ? [{ budget, limit, value }] : []
  })
}

export const SHARED_BUDGETS = ['max_total_tokens', 'max_cost_usd', 'max_runtime_minutes'] as const

export const remainingBudgets = (
  fold: HealthFold,
  policy: Policy,
  now: number,
): { readonly [budget in (typeof SHARED_BUDGETS)[number]]?: number } =>
  Object.fromEntries(
    SHARED_BUDGETS.flatMap((budget) => {
      const limit = policy.health?.[budget]
      return limit === undefined
        ? []
        : [[budget, limitOf(fold, budget, limit) - budgetMeasures[budget].value(fold, 0, now)]]
    }),
  )

/** Null if only events change health. */
export const nextHealthChangeAt = (
  fold: HealthFold,
  policy: Policy,
  status: SessionStatus,
  now: number,
): number | null => {
  if (status !== 'running' || fold.runningSince === null) return null
  const moments = [fold.activeAt + STUCK_MS]
  const minutes = policy.health?.max_runtime_minutes
  if (minutes !== undefined) {
    const limit = limitOf(fold, 'max_runtime_minutes', minutes)
    moments.push(fold.runningSince + wholeMs(limit) - fold.ranMs + 1)
    moments.push(fold.runningSince + highMs(limit) - fold.ranMs)
  }
  const ahead = moments.filter((moment) => moment > now)
  return ahead.length === 0 ? null : Math.min(...ahead)
}

const budgetsOf = (policy: Policy): [BudgetName, number][] =>
  (Object.keys(budgetMeasures) as BudgetName[]).flatMap((budget) => {
    const limit = policy.health?.[budget]
    return typeof limit === 'number' ? [[budget, limit] as [BudgetName, number]] : []
  })
