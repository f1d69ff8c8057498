import type { BudgetName } from '@bridle/events/schemas'
import { grantedLimits } from '../../projections/health/budgets.ts'
import type { DecisionBuilder } from '../decision-builder.ts'

export const grantBudget = (w: DecisionBuilder): void => {
  const { health, lifecycle } = w.state
  const budgets = Object.keys(health.crossed) as BudgetName[]
  if (budgets.length > 0) w.add('budget_raised', { budgets, limits: grantedLimits(health, lifecycle.policy, w.now) })
}
