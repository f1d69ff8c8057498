import { expect, test } from 'vitest'
import { argumentChanges } from './argument-diff.ts'

test.each<[string, unknown, unknown, string[]]>([
  ['nothing', { a: 1, b: [1, 2] }, { a: 1, b: [1, 2] }, []],
  ['a value', { a: 1, b: 2, c: 3 }, { a: 1, b: 9, c: 3 }, ['-   "b": 2,', '+   "b": 9,']],
  ['one more', { a: [1, 2] }, { a: [1, 2, 3] }, ['-     2', '+     2,', '+     3']],
  ['one less', { a: 1, b: 2 }, { b: 2 }, ['-   "a": 1,']],
  [
    'two places',
    { a: 1, b: 2, c: 3 },
    { a: 0, b: 2, c: 4 },
    ['-   "a": 1,', '+   "a": 0,', '-   "c": 3', '+   "c": 4'],
  ],
  ['an invisible character', { a: 'x' }, { a: 'x\u202e\n' }, ['-   "a": "x"', '+   "a": "x\\u202e\\n"']],
  ['everything', {}, { a: 1 }, ['- {}', '+ {', '+   "a": 1', '+ }']],
])('[C160] a diff of arguments: %s', (_name, before, after, expected) => {
  expect(argumentChanges(before, after).map(({ mark, text }) => `${mark} ${text}`)).toEqual(expected)
})

test('[C160] a diff of very many lines lists all old and all new ones', () => {
  const many = (from: number) => ({ lines: Array.from({ length: 1_500 }, (_, at) => from + at) })
  const changes = argumentChanges(many(0), many(5_000))
  expect(changes.filter(({ mark }) => mark === '-')).toHaveLength(1_500)
  expect(changes.filter(({ mark }) => mark === '+')).toHaveLength(1_500)
})
