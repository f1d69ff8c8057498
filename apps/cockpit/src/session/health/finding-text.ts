// The findings of a session in words, the same wherever its health stands. A finding lowers the score; a budget that is nearly used up
// lowers nothing yet, and is worth a look all the same.
import { plural } from 'bridle/words'
import type { Health } from './budget-values.ts'

export const NEAR_BUDGET = 'near a budget'

export const isNearBudget = ({ budget_pressure }: Pick<Health, 'budget_pressure'>): boolean =>
  budget_pressure.level === 'high'

/** `No findings`, `2 findings, near a budget`. */
export const findingText = (health: Pick<Health, 'budget_pressure' | 'penalties'>): string => {
  const { length } = health.penalties
  const count = length === 0 ? 'No findings' : plural(length, 'finding')
  return isNearBudget(health) ? `${count}, ${NEAR_BUDGET}` : count
}
