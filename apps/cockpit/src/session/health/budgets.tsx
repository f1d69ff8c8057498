// The budgets of a session against their limits, with what happens there.
import { useNow } from '../../ui/use-now.ts'
import { useSession } from '../session-context.tsx'
import {
  BUDGET_NAMES,
  type Budget,
  budgetNote,
  budgetText,
  budgetWords,
  currentValue,
  enforcementText,
  type Health,
} from './budget-texts.ts'

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
        <span className="right t3">{enforcementText(policy, budgets.length)}</span>
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
  const text = budgetText(budget, value, usage.cost_usd)
  const isFloor = budget.budget === 'min_score'
  const part = isFloor ? value / 100 : budget.limit <= 0 ? 1 : Math.min(1, value / budget.limit)
  const tone = budget.level === 'crossed' ? 'over' : budget.level === 'high' ? 'high' : ''
  return (
    <div className="meter">
      <span>{label}</span>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw the element `meter` in their own colours */}
      <span
        className="bar"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(part * 100)}
        aria-valuetext={text}
      >
        <i className={tone} style={{ width: `${part * 100}%` }} />
        <s style={{ left: isFloor ? `${budget.limit}%` : '80%' }} />
      </span>
      <span className={tone === '' ? 'num t2' : `num medium ${tone === 'over' ? 'danger' : 'warn'}`}>{text}</span>
      <span className="note">{budgetNote(budget, health.policy)}</span>
    </div>
  )
}
