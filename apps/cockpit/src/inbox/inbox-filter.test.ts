import { expect, test } from 'vitest'
import {
  encodeInboxQuery,
  filterApprovals,
  isSelected,
  neighbourOf,
  nextAfter,
  parseInboxQuery,
  type Selection,
} from './inbox-filter.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number) => new Date(now + seconds * 1_000).toISOString()
const approvals = [
  { id: 'apr-1', sessionId: 's1', agent: 'one', kind: 'tool', expiresAt: at(60) },
  { id: 'apr-1', sessionId: 's1', agent: 'two', kind: 'tool', expiresAt: null },
  { id: 'apr-2', sessionId: 's2', agent: 'two', kind: 'budget', expiresAt: null },
  { id: 'apr-3', sessionId: 's2', agent: 'two', kind: 'tool', expiresAt: at(3_600) },
] as const
const [first, second, third, fourth] = approvals
const selectionOf = (index: number) => approvals[index] ?? null

test.each([
  [{ show: 'all', agent: null } as const, approvals],
  [{ show: 'expiring', agent: null } as const, [first]],
  [{ show: 'budgets', agent: null } as const, [third]],
  [{ show: 'all', agent: 'two' } as const, [second, third, fourth]],
  [{ show: 'expiring', agent: 'two' } as const, []],
])('%j', (filter, expected) => expect(filterApprovals(approvals, filter, now)).toEqual(expected))

test('[C425] questions can be shown alone', () => {
  const asked = { id: 'apr-4', sessionId: 's3', agent: 'one', kind: 'question', expiresAt: at(9) } as const
  const all = [...approvals, asked]
  expect(filterApprovals(all, { show: 'questions', agent: null }, now)).toEqual([asked])
  expect(filterApprovals(all, { show: 'questions', agent: 'two' }, now)).toEqual([])
})

test('the address keeps the filter and the selection', () => {
  const query = { show: 'expiring', agent: 'a & b', selected: { id: 'apr/1', sessionId: 's 1', agent: 'two' } } as const
  const path = encodeInboxQuery(query)
  expect(parseInboxQuery(new URL(path, 'http://x').searchParams)).toEqual(query)
  expect(encodeInboxQuery({ show: 'all', agent: null, selected: null })).toBe('/inbox')
  expect(parseInboxQuery(new URLSearchParams('a=apr-9&show=nonsense'))).toEqual({
    show: 'all',
    agent: null,
    selected: { id: 'apr-9', sessionId: null, agent: null },
  })
})

test('two agents may have approvals of the same id in sessions of the same id', () => {
  expect(approvals.filter((approval) => isSelected(approval, selectionOf(1)))).toEqual([second])
  expect(isSelected(approvals[0] as never, { id: 'apr-1', sessionId: null, agent: null })).toBe(true)
})

test('after an answer the next one follows, at the end the one before; keys stop at the ends', () => {
  const [one, four] = [approvals[0] as Selection, approvals[3] as Selection]
  const gone = { id: 'gone', sessionId: null, agent: null }
  expect(nextAfter(approvals, one, 0)).toBe(second)
  expect(nextAfter(approvals, four, 3)).toBe(third)
  expect(nextAfter(approvals.slice(0, 1), one, 0)).toBeNull()
  expect(nextAfter(approvals, gone, 1)).toBe(second)
  expect(nextAfter(approvals, gone, 4)).toBe(fourth)
  expect(nextAfter([], gone, 0)).toBeNull()
  expect(neighbourOf(approvals, null, 1)).toBe(first)
  expect(neighbourOf(approvals, selectionOf(0), -1)).toBe(first)
  expect(neighbourOf(approvals, selectionOf(3), 1)).toBe(fourth)
  expect(neighbourOf(approvals, selectionOf(2), -1)).toBe(second)
})
