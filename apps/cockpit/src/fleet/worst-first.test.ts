import type { SessionRow } from 'bridle/client'
import { expect, test } from 'vitest'
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
