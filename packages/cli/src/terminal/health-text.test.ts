import { expect, test } from 'vitest'
import { healthChangeLines, healthTexts } from './health-text.ts'

type Health = Parameters<typeof healthTexts>[0]

test('budgets are shown without the noise of sums', () => {
  const budgets = [
    { budget: 'max_cost_usd', value: 0.08199999999999999, limit: 0.09119999999999999, level: 'high' },
    { budget: 'max_tool_failures', value: 3, limit: 3, level: 'over' },
    { budget: 'max_turns', value: 1, limit: 9, level: 'ok' },
  ]
  const health = { score: 90, flags: ['budget'], penalties: [], hint: null, recovery_hint: null } as unknown as Health
  expect(healthTexts({ ...health, budget_pressure: { budgets } } as unknown as Health)).toEqual([
    '90: budget',
    'Cost: $0.08 of $0.09 (high)',
    'max tool failures: 3 of 3 (over)',
  ])
})

test('[C158] the advice of a change is whole, below a long id', () => {
  const health = {
    score: 60,
    flags: ['failed'],
    hint: `Read its last error, then ask it again: bridle rerun ${'long-id-'.repeat(4)}`,
  }
  const row = { id: 'long-id-'.repeat(8), status: 'failed', health } as unknown as Parameters<
    typeof healthChangeLines
  >[0]
  const lines = healthChangeLines(row, 70)
  expect(lines).toEqual([
    `${'long-id-'.repeat(8)}  failed  60 failed`,
    'Read its last error, then ask it again:',
    `bridle rerun ${'long-id-'.repeat(4)}`,
  ])
})
