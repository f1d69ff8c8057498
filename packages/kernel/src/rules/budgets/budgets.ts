// A crossed budget stops the attempt and asks an operator, or pauses. A run may cross it with its last step, whose result is
// already paid for. So it continues until it reports more work or stays silent for BUDGET_GRACE_MS.

import { BUDGET_GRACE_MS } from '@bridle/events/limits'
import { budgetAmountText, budgetLimitText } from '@bridle/words/budgets'
import type { Command, ReportItem } from '../../commands.ts'
import { budgetsOverLimit, grantedLimits, newlyCrossedBudgets } from '../../projections/health/budgets.ts'
import { type SessionState, statusOf } from '../../projections/state.ts'
import { askOperator } from '../approvals/operator-questions.ts'
import { parkRun } from '../control.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { isResumable } from '../runs/resumption.ts'

/** Called after each change. `before`: the state before the command. */
export const enforceBudgets = (w: DecisionBuilder, before: SessionState, command: Command['type']): void => {
  if (!isLeftToFinish(w, before, command)) stopOverBudget(w)
}

export const stopOverBudget = (w: DecisionBuilder): boolean => {
  const { policy, run } = w.state.lifecycle
  const status = statusOf(w.state)
  if (!run || (status !== 'running' && status !== 'recovering')) return false
  const over = budgetsOverLimit(w.state.health, policy, status, w.now)
  if (over.length === 0) return false
  const rest = isResumable(w) ? GOES_ON : NEXT[run.phase]
  for (const each of newlyCrossedBudgets(w.state.health, policy, status, w.now)) w.addToRun('budget_crossed', each)
  const sums = over
    .map(({ budget, limit, value }) => `${budgetLimitText(budget, limit)} (at ${budgetAmountText(budget, value)})`)
    .join(', ')
  if (policy.health?.action === 'pause') {
    w.add('session_paused', { reason: `Over budget: ${sums}` })
    parkRun(w, 'budget')
    return true
  }
  parkRun(w, 'budget')
  const limits = Object.entries(grantedLimits(w.state.health, policy, w.now))
  const next = limits.map(([budget, limit]) => `a ${budgetLimitText(budget, limit)}`).join(', ')
  const reason = `Over budget: ${sums}. If you approve, it becomes ${next}, and ${rest}.`
  askOperator(w, 'budget', over.map(({ budget }) => budget).join(','), reason)
  return true
}

export const isOverBudget = ({ state, now }: DecisionBuilder): boolean => {
  const { policy } = state.lifecycle
  if (!policy.health) return false
  const status = statusOf(state)
  return status === 'running' && budgetsOverLimit(state.health, policy, status, now).length > 0
}

/** True for new work or output. Usage, outcomes and diagnostics report finished work. */
export const reportsNewWork = (item: ReportItem): boolean =>
  item.type === 'ask' ||
  item.type === 'next_step' ||
  item.type === 'delegate' ||
  (item.type === 'event' && WORK.has(item.event.type))

const WORK: ReadonlySet<string> = new Set(['token', 'thinking', 'reflection', 'tool_call'])

const GOES_ON = 'the work goes on from where it stopped'
/** The effect of an approval, by the run's phase. */
const NEXT = {
  requested: 'the turn starts',
  started: 'the turn starts over: the work so far is done again',
  cancelling: 'the turn starts',
  parked: 'the turn starts over: the work so far is done again',
  waiting: 'the next attempt starts',
} as const

/** A run that has just reported usage may be about to end. Time budgets give no such sign and stop it at once. */
const isLeftToFinish = (w: DecisionBuilder, before: SessionState, command: Command['type']): boolean => {
  const { policy, run, tools } = w.state.lifecycle
  if (run?.phase !== 'started' || (command !== 'report' && command !== 'tick')) return false
  const over = budgetsOverLimit(w.state.health, policy, statusOf(w.state), w.now)
  if (over.length === 0 || over.some(({ budget }) => budget === 'max_runtime_minutes')) return false
  if (command === 'report') return !hasSpentMore(w.state, before)
  // Open calls spend nothing, and stopping one would leave its outcome unknown.
  return Object.keys(tools).length > 0 || w.now < before.at + BUDGET_GRACE_MS
}

const hasSpentMore = ({ health }: SessionState, before: SessionState): boolean => {
  const { policy } = before.lifecycle
  const wasOver = budgetsOverLimit(before.health, policy, statusOf(before), before.at).length > 0
  return wasOver && (health.tokens > before.health.tokens || health.costUsd > before.health.costUsd)
}
