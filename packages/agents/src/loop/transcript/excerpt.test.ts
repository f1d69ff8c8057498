import type { ReportItem } from '@bridle/kernel/commands'
import { expect, test } from 'vitest'
import { excerpt, withExcerpt } from './excerpt.ts'

const outcome = (status: string, result?: unknown): ReportItem =>
  ({ type: 'event', event: { type: 'tool_outcome', payload: { tool_call_id: 'c1', status, result } } }) as ReportItem
const added = (text: string): ReportItem =>
  ({
    type: 'event',
    event: { type: 'context_added', payload: { text: excerpt(text), source: 'result_excerpt', tool_call_id: 'c1' } },
  }) as ReportItem
const long = 'x'.repeat(12_001)
const list = Array.from({ length: 5_000 }, (_, n) => n)

test.each<[string, ReportItem[], ReportItem[]]>([
  ['a short result', [outcome('ok', 'short')], []],
  ['a result that just stays', [outcome('ok', 'x'.repeat(12_000))], []],
  ['a long text', [outcome('ok', long)], [added(long)]],
  ['a long list', [outcome('ok', list)], [added(JSON.stringify(list))]],
  ['a long error', [outcome('error', long)], []],
  ['no result', [outcome('ok')], []],
])('[N43] %s', (_name, items, expected) => {
  expect(withExcerpt(items)).toEqual([...expected, ...items])
})

test('[N43] an excerpt has both ends and says what is left out; it splits no character', () => {
  expect(excerpt(`a${'😀'.repeat(10_000)}b`)).toBe(
    `a${'😀'.repeat(999)}\n[16004 of 20002 characters are left out here.]\n${'😀'.repeat(999)}b`,
  )
})
