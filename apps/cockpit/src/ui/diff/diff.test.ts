import { expect, test } from 'vitest'
import { foldRows } from './folded-rows.ts'
import { compareKeys, isSame } from './key-changes.ts'
import { compareLines } from './line-rows.ts'

const shown = (before: string, after: string): string[] =>
  compareLines(before, after).rows.map(
    ({ kind, line, text, isUnended }) =>
      `${{ same: ' ', add: '+', del: '-' }[kind]}${line} ${text}${isUnended ? ' (no line end)' : ''}`,
  )

test.each([
  ['a changed line', 'a\nb\nc\n', 'a\nB\nc\n', [' 1 a', '-2 b', '+2 B', ' 3 c']],
  ['numbers of their own text', 'a\nb\n', 'x\ny\na\nb\n', ['+1 x', '+2 y', ' 3 a', ' 4 b']],
  ['a new text', '', 'a\n\nb', ['+1 a', '+2 ', '+3 b']],
  ['a removed text', 'a\nb', '', ['-1 a', '-2 b']],
  ['nothing changed', 'a\nb', 'a\nb', [' 1 a', ' 2 b']],
  ['a line end that goes', 'a\nb\n', 'a\nb', [' 1 a', '-2 b', '+2 b (no line end)']],
  ['a carriage return is a change', 'a\r\n', 'a\n', ['-1 a\r', '+1 a']],
])('%s', (_name, before, after, expected) => expect(shown(before, after)).toEqual(expected))

test('texts that differ in very many lines are shown whole', () => {
  const lines = (word: string) => Array.from({ length: 5_000 }, (_, line) => `${word} ${line}`).join('\n')
  const { rows, added, removed, isCoarse } = compareLines(lines('before'), lines('after'))
  expect({ rows: rows.length, added, removed, isCoarse }).toEqual({
    rows: 10_000,
    added: 5_000,
    removed: 5_000,
    isCoarse: true,
  })
})

test('unchanged lines far from a change are folded, and every line is in some block', () => {
  const before = Array.from({ length: 30 }, (_, line) => `line ${line}`)
  const after = before.with(10, 'ten').with(25, 'twenty-five')
  const { rows } = compareLines(before.join('\n'), after.join('\n'))
  const blocks = foldRows(rows)
  expect(blocks.map(({ type, rows: { length } }) => `${type} ${length}`)).toEqual([
    'fold 7',
    'rows 8',
    'fold 8',
    'rows 9',
  ])
  expect(blocks.flatMap((block) => block.rows)).toEqual(rows)
  expect(blocks.map(({ from }) => from)).toEqual([0, 7, 15, 23])
})

test('objects are compared by key', () => {
  const before = { path: 'a.ts', options: { retries: 5, 'x.y': 1 }, files: ['a', 'b'], gone: true }
  const after = { options: { 'x.y': 2, retries: 3 }, path: 'a.ts', files: ['a', 'c'], more: null }
  expect(compareKeys(before, after)).toEqual([
    { path: 'options.retries', kind: 'changed', before: 5, after: 3 },
    { path: 'options."x.y"', kind: 'changed', before: 1, after: 2 },
    { path: 'files[1]', kind: 'changed', before: 'b', after: 'c' },
    { path: 'gone', kind: 'removed', before: true },
    { path: 'more', kind: 'added', after: null },
  ])
  expect(compareKeys({ a: [1] }, { a: [1, 2] })).toEqual([{ path: 'a', kind: 'changed', before: [1], after: [1, 2] }])
  expect(isSame({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true)
  expect(isSame({ a: undefined }, { b: undefined })).toBe(false)
  expect(isSame(JSON.parse('{"__proto__":1}'), {})).toBe(false)
})
