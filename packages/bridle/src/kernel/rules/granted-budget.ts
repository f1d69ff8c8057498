// More budget, granted by an operator: as much as what was spent needs, and armed again.

import { stepsToGrant } from '../projections/budgets.ts'
import type { Budget } from '../schemas.ts'
import type { Working } from './working.ts'

export const grantBudget = (w: Working): void => {
  const { health, lifecycle } = w.state
  const budgets = Object.keys(health.crossed) as Budget[]
  if (budgets.length > 0) w.add('budget_raised', { budgets, steps: stepsToGrant(health, lifecycle.policy, w.now) })
}
