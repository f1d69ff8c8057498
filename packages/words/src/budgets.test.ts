import { BUDGETS } from '@bridle/events/schemas'
import { describe, expect, test } from 'vitest'
import {
  BUDGET_NAMES,
  budgetLabel,
  budgetLimitText,
  budgetNameText,
  budgetNote,
  budgetText,
  crossedText,
  enforcementText,
  policyText,
} from './budgets.ts'

test('[F62] every budget has words, which do not contain the name of its field', () => {
  expect(BUDGET_NAMES.toSorted()).toEqual(BUDGETS.toSorted())
  for (const budget of BUDGETS) expect(`${budgetLabel(budget)} ${budgetLimitText(budget, 5)}`).not.toContain('_')
})

test.each([
  ['max_cost_usd', 2, 'cost limit of $2.00'],
  ['max_cost_usd', 0.0125, 'cost limit of $0.0125'],
  ['max_total_tokens', 142_300, 'token limit of 142,300 tokens'],
  ['max_runtime_minutes', 0.5, 'run time limit of 30 s'],
  ['max_runtime_minutes', 185, 'run time limit of 3 h 5 m'],
  ['max_tool_latency_ms', 5_000, 'call time limit of 5 s'],
  ['min_score', 60, 'score limit of 60'],
  ['a_later_budget', 1.234, 'a later budget of 1.23'],
  ['constructor', 1, 'constructor of 1'],
])('[F62] %s %d', (budget, limit, text) => expect(budgetLimitText(budget, limit)).toBe(text))

test('[F62] a name alone', () => expect(budgetNameText('max_tool_latency_ms')).toBe('call time limit'))

test.each([
  ['max_cost_usd', 2, 2.5, 'cost limit of $2.00, at $2.50'],
  ['max_cost_usd', 'much', undefined, 'cost limit'],
  ['max_tool_latency_ms', undefined, 6_000, 'call time limit, at 6 s'],
])('a crossed budget: %s %s %s', (budget, limit, value, text) => expect(crossedText(budget, limit, value)).toBe(text))

test.each([
  [{ health: { max_cost_usd: 1, action: 'pause' as const } }, 'cost limit of $1.00, pauses'],
  [{ health: { action: 'request_approval' as const } }, 'asks'],
  [{}, 'no budgets'],
])('a policy %#', (policy, text) => expect(policyText(policy)).toBe(text))

describe('a meter', () => {
  test.each([
    ['max_cost_usd', 1.71, 2, true, '$1.71 of $2.00'],
    ['max_cost_usd', 0, 2, false, 'unknown of $2.00'],
    ['max_loop_warnings', 0, 3, false, '0 of 3'],
    ['max_total_tokens', 142_300, 200_000, true, '142k of 200k'],
    ['min_score', 82, 40, true, '82, at least 40'],
  ])('%s at %d of %d', (budget, value, limit, isKnown, text) =>
    expect(budgetText(budget, value, limit, isKnown)).toBe(text),
  )

  const enforcement = { action: 'pause', status: 'armed', raised: {} } as const
  const cost = { budget: 'max_cost_usd', limit: 2, level: 'high' }
  test.each([
    [budgetNote(cost, enforcement), 'will pause at $2.00'],
    [budgetNote(cost, { ...enforcement, action: 'request_approval' }), 'will ask you at $2.00'],
    [budgetNote({ ...cost, level: 'crossed' }, { ...enforcement, status: 'paused' }), 'limit reached, session paused'],
    [budgetNote({ budget: 'min_score', limit: 40, level: 'ok' }, enforcement), 'will pause below 40'],
    [
      budgetNote({ ...cost, limit: 4 }, { ...enforcement, raised: { max_cost_usd: 4 } }, 2),
      'will pause at $4.00, raised from $2.00',
    ],
    [enforcementText({ ...enforcement, action: 'request_approval' }, 1), 'asks you at a limit'],
    [enforcementText({ ...enforcement, status: 'off' }, 0), 'no budget is set'],
    [
      enforcementText({ ...enforcement, status: 'awaiting_approval' }, 2),
      'a limit was reached, waiting for your answer',
    ],
  ])('%s', (said, text) => expect(said).toBe(text))
})
