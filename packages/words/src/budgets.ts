import type { BudgetName } from '@bridle/events/schemas'
import { costText, countText, durationText, exactCostText, exactCountText } from './amounts.ts'
import { nameText } from './fields.ts'

interface BudgetWords {
  readonly label: string
  /** The name in a sentence. */
  readonly limit: string
  /** The unit people enter. `factor` converts it to the unit of the wire. */
  readonly unit: string
  readonly factor: number
  readonly short: (value: number) => string
  readonly exact: (value: number) => string
}

const plain = (value: number): string => String(Math.round(value * 10) / 10)
const percent = (value: number): string => `${plain(value)} %`
const minutes = (value: number): string => durationText(value * 60_000)
const same = (text: (value: number) => string) => ({ short: text, exact: text })
const countOf = (label: string, limit: string): BudgetWords => ({ label, limit, unit: '', factor: 1, ...same(plain) })

/** In display order, the most used first. */
export const budgetWords: { readonly [name in BudgetName]: BudgetWords } = {
  max_cost_usd: { label: 'Cost', limit: 'cost limit', unit: '$', factor: 1, short: costText, exact: exactCostText },
  max_total_tokens: {
    ...countOf('Tokens', 'token limit'),
    short: countText,
    exact: (value) => `${exactCountText(value)} tokens`,
  },
  max_runtime_minutes: { ...countOf('Run time', 'run time limit'), unit: 'min', ...same(minutes) },
  max_context_usage_pct: { ...countOf('Context', 'context limit'), unit: '%', ...same(percent) },
  max_failed_tool_calls: countOf('Failed calls', 'failed call limit'),
  max_tool_latency_ms: {
    ...countOf('Slowest call', 'call time limit'),
    unit: 's',
    factor: 1_000,
    ...same(durationText),
  },
  min_score: countOf('Score at least', 'score limit'),
  max_loop_warnings: countOf('Loop warnings', 'loop warning limit'),
  max_repeated_plan_events: countOf('Repeated plans', 'repeated plan limit'),
  max_events_without_evidence: countOf('Answers without a source', 'unsourced answer limit'),
}

/** The budgets in display order. */
export const BUDGET_NAMES = Object.keys(budgetWords) as readonly BudgetName[]

/** Budgets of a newer version keep their own names. */
const wordsOf = (budget: string): BudgetWords =>
  Object.hasOwn(budgetWords, budget)
    ? budgetWords[budget as BudgetName]
    : { ...countOf(nameText(budget), nameText(budget)), ...same(exactCountText) }

/** `Cost`. */
export const budgetLabel = (budget: string): string => wordsOf(budget).label

/** `cost limit`. */
export const budgetNameText = (budget: string): string => wordsOf(budget).limit

/** `cost limit of $2.00`. */
export const budgetLimitText = (budget: string, limit: number): string =>
  `${budgetNameText(budget)} of ${budgetAmountText(budget, limit)}`

/** `$2.50`, `142,300 tokens`. */
export const budgetAmountText = (budget: string, value: number): string => wordsOf(budget).exact(value)

/** `cost limit of $2.00, at $2.50`. Skips parts that the log lacks. */
export const crossedText = (budget: string, limit: unknown, value: unknown): string => {
  const reached = typeof limit === 'number' ? budgetLimitText(budget, limit) : budgetNameText(budget)
  return typeof value === 'number' ? `${reached}, at ${budgetAmountText(budget, value)}` : reached
}

/** `cost limit of $2.00, call time limit of 5 s, pauses`. */
export const policyText = ({ health = {} }: { readonly health?: { readonly [name: string]: unknown } }): string =>
  Object.entries(health)
    .map(([name, value]) =>
      typeof value === 'number' ? budgetLimitText(name, value) : value === 'pause' ? 'pauses' : 'asks',
    )
    .join(', ') || 'no budgets'

/** `$1.71 of $2.00`. `isKnown` false shows an unknown cost instead of 0. */
export const budgetText = (budget: string, value: number, limit: number, isKnown = true): string => {
  const { short } = wordsOf(budget)
  if (budget === 'min_score') return `${short(value)}, at least ${short(limit)}`
  return `${budget === 'max_cost_usd' && !isKnown ? 'unknown' : short(value)} of ${short(limit)}`
}

interface Enforcement {
  readonly action: 'request_approval' | 'pause'
  readonly status: 'off' | 'armed' | 'awaiting_approval' | 'paused'
  readonly raised: { readonly [budget: string]: unknown }
}

/** The consequence of the limit: `will pause at $2.00`. `first` is the limit before an operator raised it. */
export const budgetNote = (
  { budget, limit, level }: { readonly budget: string; readonly limit: number; readonly level: string },
  { action, status, raised }: Enforcement,
  first?: number,
): string => {
  const { short } = wordsOf(budget)
  const from = first === undefined ? ', raised' : `, raised from ${short(first)}`
  const end = budget in raised ? from : ''
  if (level === 'crossed') return `${crossedTexts[status]}${end}`
  const does = action === 'pause' ? 'will pause' : 'will ask you'
  return `${does} ${budget === 'min_score' ? 'below' : 'at'} ${short(limit)}${end}`
}

const crossedTexts: { readonly [status in Enforcement['status']]: string } = {
  off: 'limit reached',
  armed: 'limit reached',
  awaiting_approval: 'limit reached, needs approval',
  paused: 'limit reached, session paused',
}

/** A sentence about all budgets. */
export const enforcementText = ({ action, status }: Enforcement, count: number): string => {
  if (count === 0 || status === 'off') return 'no budget is set'
  if (status === 'awaiting_approval') return 'a limit was reached, waiting for your answer'
  if (status === 'paused') return 'paused at a limit'
  return action === 'pause' ? 'pauses at a limit' : 'asks you at a limit'
}
