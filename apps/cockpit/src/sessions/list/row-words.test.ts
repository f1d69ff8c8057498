import type { SessionRow } from 'bridle/client'
import { expect, test } from 'vitest'
import { failureText, isCostHigh, originText, progressText, retryText, rowCostText, shownFlags } from './row-words.ts'

const row = (fields: object): SessionRow =>
  ({
    step: null,
    attempt_count: 1,
    max_retries: 0,
    runner_kind: 'in_process',
    kind: 'chat',
    parent_session_id: null,
    branch_source_event_id: null,
    retry_at: null,
    usage: null,
    health: null,
    ...fields,
  }) as SessionRow

test.each([
  [{ step: { index: 3, total: 5, title: '', status: '' }, attempt_count: 2 }, 'Step 3 of 5'],
  [{ step: { index: 3, total: null, title: '', status: '' } }, 'Step 3'],
  [{ attempt_count: 2, max_retries: 3, runner_kind: 'bridge' }, 'attempt 2 of 4'],
  [{ runner_kind: 'bridge' }, 'reduced detail'],
  [{ step: { index: 3, total: 5, title: 'Run the tests', status: '' } }, '3 of 5 · Run the tests'],
  [{ kind: 'background' }, ''],
  [{ kind: 'chat' }, ''],
])('progress of %j is %s', (fields, text) => expect(progressText(row(fields))).toBe(text))

test.each([
  [{}, ''],
  [{ parent_session_id: 'p' }, 'started by p'],
  [{ parent_session_id: 'p', branch_source_event_id: 'ev-52' }, 'branch of p at 52'],
])('%j came from %s', (fields, text) => expect(originText(row(fields))).toBe(text))

test('a failed row says why, in one line', () => {
  expect(failureText(row({ status: 'failed', last_error: 'The disk\n  is full.' }))).toBe('The disk is full.')
  expect(failureText(row({ status: 'failed', last_error: 'x'.repeat(1_000) })).length).toBe(200)
  expect(failureText(row({ status: 'failed', last_error: null }))).toBe('')
  expect(failureText(row({ status: 'running', last_error: 'An attempt before.' }))).toBe('')
})

test('cost, its budget, the next attempt, and flags', () => {
  expect(rowCostText(row({}))).toBe('unknown')
  expect(rowCostText(row({ usage: { total_tokens: 1, cost_usd: null } }))).toBe('unknown')
  expect(rowCostText(row({ usage: { total_tokens: 1, cost_usd: 1.2 } }))).toBe('$1.20')
  const budgets = [{ budget: 'max_cost_usd', level: 'high', limit: 1, value: 0.9 }]
  expect(isCostHigh(row({ health: { budget_pressure: { budgets } } }))).toBe(true)
  expect(isCostHigh(row({}))).toBe(false)
  expect(retryText(row({ retry_at: '2026-01-01T00:01:00Z' }), Date.parse('2026-01-01T00:00:20Z'))).toBe(
    'next try in 40 s',
  )
  expect(shownFlags(row({ health: { flags: ['waiting', 'budget'] } }))).toEqual(['budget'])
})
