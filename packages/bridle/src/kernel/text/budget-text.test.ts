import { expect, test } from 'vitest'
import { BUDGETS } from '../schemas.ts'
import { budgetLimitText, budgetNameText } from './budget-text.ts'

test('[F62] every budget has words, which do not contain the name of its field', () => {
  for (const budget of BUDGETS) expect(budgetLimitText(budget, 5)).not.toContain('_')
})

test.each([
  ['max_cost_usd', 2, 'cost limit of 2.00 USD'],
  ['max_cost_usd', 0.0125, 'cost limit of 0.0125 USD'],
  ['max_total_tokens', 142_000, 'token limit of 142000 tokens'],
  ['max_runtime_minutes', 0.333_33, 'run time limit of 0.33 min'],
  ['min_score', 60, 'score limit of 60'],
  ['a_later_budget', 1.234, 'a_later_budget of 1.23'],
  ['constructor', 1, 'constructor of 1'],
])('[F62] %s %d', (budget, limit, text) => expect(budgetLimitText(budget, limit)).toBe(text))

test('[F62] a name alone', () => expect(budgetNameText('max_tool_latency_ms')).toBe('call time limit'))
