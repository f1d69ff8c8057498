import { expect, test } from 'vitest'
import { VALUES_MAX } from '../../kernel/limits.ts'
import { measure, parseJson } from './json-text.ts'

test.each([
  ['{}', 1, 2],
  ['[[[]]]', 3, 4],
  ['{"a":"[[[["}', 1, 2],
  ['{"a":"\\"[[[,"}', 1, 2],
  ['{"a":1,"b":[2,3]}', 2, 5],
  ['"', 0, 1],
  ['[', 1, 2],
])('%s is %i deep and has at most %i values', (text, depth, values) => expect(measure(text)).toEqual({ depth, values }))

const list = (length: number) => `[${Array.from({ length }, () => 1).join(',')}]`

test.each<[string, unknown]>([
  ['{"a":1}', { value: { a: 1 } }],
  ['null', { value: null }],
  ['{', { problem: 'The message is not JSON.' }],
  [`${'['.repeat(100)}${']'.repeat(100)}`, { value: expect.anything() }],
  ['['.repeat(101), { problem: 'The JSON is nested deeper than 100 levels.' }],
  [list(VALUES_MAX - 1), { value: expect.anything() }],
  [list(VALUES_MAX), { problem: 'The JSON has more than 50000 values.' }],
  [`{${',"a":1'.repeat(VALUES_MAX)}`, { problem: 'The JSON has more than 50000 values.' }],
])('[H12] %.20s', (text, expected) => expect(parseJson(text, 'message')).toEqual(expected))
