import type { SessionRow } from 'bridle/client'
import { budgetLabel, budgetText } from 'bridle/words'
import { currentValue, levelTones } from '../session/health/budget-values.ts'
import { Meter } from '../ui/meter.tsx'
import { partOf } from '../ui/meter-bar.tsx'
import { useNow } from '../ui/use-now.ts'

type Pressure = NonNullable<SessionRow['health']>['budget_pressure']

/** A score is bad when it is low: the meter shows how close it is to its limit. */
const scoreParts = { ok: 0.4, high: 0.85, crossed: 1 } as const

interface BudgetMetersProps {
  readonly pressure: Pressure
  /** null = nobody told it. */
  readonly costUsd: number | null
}

export const BudgetMeters = ({ pressure, costUsd }: BudgetMetersProps) => {
  const now = useNow()
  return pressure.budgets.map((budget) => {
    const value = currentValue(budget, pressure.running_since, now)
    const isScore = budget.budget === 'min_score'
    return (
      <Meter
        key={budget.budget}
        label={budgetLabel(budget.budget)}
        part={isScore ? scoreParts[budget.level] : partOf(value, budget.limit)}
        tone={levelTones[budget.level]}
        text={budgetText(budget.budget, value, budget.limit, costUsd !== null)}
      />
    )
  })
}
