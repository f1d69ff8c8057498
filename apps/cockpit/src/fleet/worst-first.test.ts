import type { SessionRow } from 'bridle/client'
import { expect, test } from 'vitest'
import { budgetLabel, budgetText } from './budget-words.ts'
import { flagCounts, needsLook, worstFirst } from './worst-first.ts'

const row = (id: string, score: number | null, level = 'none', ...flags: string[]): SessionRow =>
  ({
    id,
    updatedAt: id,
    health: score === null ? null : { score, flags, budget_pressure: { level, budgets: [] } },
  }) as unknown as SessionRow

const rows = [
  row('fine', 100, 'ok'),
  row('silent', null),
  row('low', 30, 'none', 'degraded'),
  row('crossed', 80, 'crossed', 'budget'),
  row('waits', 80, 'high', 'budget', 'waiting'),
  row('high', 100, 'high'),
  row('asks', 100, 'none', 'waiting'),
]

test('the worst is first, and what is fine needs no look', () => {
  const order = worstFirst(rows)
  expect(order.map(({ id }) => id)).toEqual(['low', 'crossed', 'waits', 'high', 'fine', 'asks', 'silent'])
  expect(order.filter(needsLook).map(({ id }) => id)).toEqual(['low', 'crossed', 'waits', 'high', 'asks'])
  expect(flagCounts(rows)).toEqual([
    ['budget', 2],
    ['waiting', 2],
    ['degraded', 1],
  ])
})

test.each([
  ['max_cost_usd', 1.714, 2, 'Cost', '$1.71 of $2.00'],
  ['max_total_tokens', 142_380, 200_000, 'Tokens', '142,380 of 200,000'],
  ['max_tool_latency_ms', 41_200, 60_000, 'Slowest call', '41.2 s of 1 m 0 s'],
  ['min_score', 82, 40, 'Score', '82, at least 40'],
  ['max_something_new', 1, 2, 'something new', '1 of 2'],
])('%s', (budget, value, limit, label, text) => {
  expect(budgetLabel(budget)).toBe(label)
  expect(budgetText(budget, value, limit)).toBe(text)
})
