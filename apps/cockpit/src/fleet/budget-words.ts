// Budgets in words: `Cost`, `$1.71 of $2.00`.
import type { SessionRow } from 'bridle/client'
import { costText, durationText } from '../ui/numbers.ts'

type BudgetName = NonNullable<SessionRow['health']>['budget_pressure']['budgets'][number]['budget']

interface BudgetWords {
  readonly label: string
  /** A measured value with its unit. */
  readonly text: (value: number) => string
}

const wholeText = (value: number): string => Math.round(value).toLocaleString('en')

const words: { readonly [budget in BudgetName]: BudgetWords } = {
  min_score: { label: 'Score', text: wholeText },
  max_runtime_minutes: { label: 'Run time', text: (minutes) => durationText(minutes * 60_000) },
  max_total_tokens: { label: 'Tokens', text: wholeText },
  max_cost_usd: { label: 'Cost', text: costText },
  max_context_usage_pct: { label: 'Context', text: (percent) => `${Math.round(percent)} %` },
  max_failed_tool_calls: { label: 'Failed calls', text: wholeText },
  max_loop_warnings: { label: 'Loop warnings', text: wholeText },
  max_repeated_plan_events: { label: 'Repeated plans', text: wholeText },
  max_tool_latency_ms: { label: 'Slowest call', text: durationText },
  max_events_without_evidence: { label: 'No evidence', text: wholeText },
}

/** A budget that this page does not know is shown by its name. */
export const budgetLabel = (budget: string): string =>
  words[budget as BudgetName]?.label ?? budget.replace(/^(?:max|min)_/, '').replaceAll('_', ' ')

/** `$1.71 of $2.00`; a score has a least value instead. */
export const budgetText = (budget: string, value: number, limit: number): string => {
  const text = words[budget as BudgetName]?.text ?? wholeText
  return budget === 'min_score' ? `${text(value)}, at least ${text(limit)}` : `${text(value)} of ${text(limit)}`
}
