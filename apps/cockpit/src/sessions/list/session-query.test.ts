import { expect, test } from 'vitest'
import { isFiltered, readQuery, serverFilter, withFilter, withoutFilters } from './session-query.ts'

test('filters are read from the address, and empty or unknown names filter nothing', () => {
  const params = new URLSearchParams('status=running&search=a%20b&agent=&new=1&colour=red')
  expect(readQuery(params)).toEqual({ status: 'running', search: 'a b' })
  expect(isFiltered(readQuery(new URLSearchParams('new=1')))).toBe(false)
})

test('a filter is set and removed, and the rest of the address stays', () => {
  const params = new URLSearchParams('status=running&new=1')
  expect(String(withFilter(params, 'agent', 'a/b&c'))).toBe('status=running&new=1&agent=a%2Fb%26c')
  expect(String(withFilter(params, 'status', ''))).toBe('new=1')
  expect(String(withoutFilters(params))).toBe('new=1')
})

test.each([
  [{}, {}],
  [
    { search: 'x', flag: 'budget', engine: 'codex' },
    { search: 'x', flag: 'budget', engine: 'codex' },
  ],
  [{ since: 'day' }, { changed_since: '2026-01-01T00:00:00.000Z' }],
  [{ since: 'age' }, {}],
  [{ archived: 'true' }, { archived: true }],
  [{ archived: 'all' }, { archived: 'all' }],
])('%j asks the server for %j', (query, filter) =>
  expect(serverFilter(query, Date.parse('2026-01-02T00:00:00Z'))).toEqual(filter),
)
