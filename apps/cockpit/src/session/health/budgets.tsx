// The budgets of a session against their limits, with what happens there.

import { BUDGET_NAMES, budgetNote, budgetText, budgetWords, enforcementText } from 'bridle/words'
import { Meter } from '../../ui/meter.tsx'
import { HIGH_PART, partOf } from '../../ui/meter-bar.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useSession } from '../session-context.tsx'
import { type Budget, currentValue, type Health, levelTones } from './budget-values.ts'

export const Budgets = ({ health }: { readonly health: Health }) => {
  const { budget_pressure: pressure, policy } = health
  const budgets = pressure.budgets.toSorted(
    (one, other) => BUDGET_NAMES.indexOf(one.budget) - BUDGET_NAMES.indexOf(other.budget),
  )
  return (
    <>
      <h2 className="h3">
        Budgets
        {budgets.length > 0 && (
          <span className="t3">
            {budgets.length} of {BUDGET_NAMES.length} set
          </span>
        )}
        <span className="right t3">{enforcementText(policy.enforcement, budgets.length)}</span>
      </h2>
      {budgets.map((budget) => (
        <BudgetMeter key={budget.budget} budget={budget} health={health} />
      ))}
    </>
  )
}

const BudgetMeter = ({ budget, health }: { readonly budget: Budget; readonly health: Health }) => {
  const now = useNow()
  const { status, updatedAt, usage } = useSession().detail
  const { label } = budgetWords[budget.budget]
  // A run that waits for somebody has no running clock: its time ends with its last event.
  const until = status === 'running' ? now : Date.parse(updatedAt)
  const value = currentValue(budget, health.budget_pressure.running_since, until)
  const text = budgetText(budget.budget, value, budget.limit, usage.cost_usd !== null)
  const isFloor = budget.budget === 'min_score'
  return (
    <Meter
      label={label}
      part={isFloor ? value / 100 : partOf(value, budget.limit)}
      tone={levelTones[budget.level]}
      text={text}
      note={budgetNote(budget, health.policy.enforcement, health.policy.health?.[budget.budget])}
      markAt={isFloor ? budget.limit / 100 : HIGH_PART}
    />
  )
}
