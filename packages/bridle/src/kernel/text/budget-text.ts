// Budgets in words, for people who answer questions and read reasons: "cost limit of 2.00 USD", never the name of the field.
import type { BUDGETS } from '../schemas.ts'

type BudgetName = (typeof BUDGETS)[number]

const rounded = (value: number): number => Math.round(value * 100) / 100
/** Two digits, and more only for sums that need them: costs may be fractions of a cent. */
const usd = (value: number): string => {
  const exact = Number(value.toPrecision(6))
  return `${rounded(exact) === exact ? exact.toFixed(2) : exact} USD`
}
const plain = (value: number): string => String(rounded(value))
const unit = (name: string) => (value: number) => `${rounded(value)} ${name}`

const words: { readonly [name in BudgetName]: readonly [limit: string, amount: (value: number) => string] } = {
  min_score: ['score limit', plain],
  max_runtime_minutes: ['run time limit', unit('min')],
  max_total_tokens: ['token limit', unit('tokens')],
  max_cost_usd: ['cost limit', usd],
  max_context_usage_pct: ['context limit', unit('%')],
  max_failed_tool_calls: ['failed call limit', plain],
  max_loop_warnings: ['loop warning limit', plain],
  max_repeated_plan_events: ['repeated plan limit', plain],
  max_tool_latency_ms: ['call time limit', unit('ms')],
  max_events_without_evidence: ['unsourced answer limit', plain],
}

/** `cost limit`. A log of a later version may have other budgets: they keep their names. */
export const budgetNameText = (budget: string): string => wordsOf(budget)?.[0] ?? budget

/** `cost limit of 2.00 USD`. */
export const budgetLimitText = (budget: string, limit: number): string =>
  `${budgetNameText(budget)} of ${budgetAmountText(budget, limit)}`

/** `2.50 USD`. */
export const budgetAmountText = (budget: string, value: number): string => (wordsOf(budget)?.[1] ?? plain)(value)

const wordsOf = (budget: string) => (Object.hasOwn(words, budget) ? words[budget as BudgetName] : null)
