import type { PolicyRequest } from 'bridle/client'

/** The budgets of two fields of a form; undefined where both are empty. Fields of a form hold texts. */
export const budgetPolicy = (costUsd: string, minutes: string): PolicyRequest | undefined => {
  const health = {
    ...(costUsd.trim() !== '' && { max_cost_usd: Number(costUsd) }),
    ...(minutes.trim() !== '' && { max_runtime_minutes: Number(minutes) }),
  }
  return Object.keys(health).length === 0 ? undefined : { health }
}
