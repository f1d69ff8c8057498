import { expect, test } from 'vitest'
import { measureJson, parseJson, VALUES_MAX } from './json-text.ts'

test.each([
  ['{}', 1, 2, 0],
  ['[[[]]]', 3, 4, 0],
  ['{"a":"[[[["}', 1, 2, 1],
  ['{"a":"\\"[[[,:"}', 1, 2, 1],
  ['{"a":1,"b":[2,3]}', 2, 5, 2],
  ['"', 0, 1, 0],
  ['[', 1, 2, 0],
])('%s is %i deep and has at most %i values and %i keys', (text, depth, values, keys) =>
  expect(measureJson(text)).toEqual({ depth, values, keys }),
)

const list = (length: number) => `[${Array.from({ length }, () => 1).join(',')}]`

test.each<[string, unknown]>([
  ['{"a":1}', { value: { a: 1 } }],
  ['null', { value: null }],
  ['{', { problem: 'The message is not JSON.' }],
  ['{"a":1,"b":{"a":2},"c":[{"a":3}]}', { value: { a: 1, b: { a: 2 }, c: [{ a: 3 }] } }],
  ['{"a":1,"a":2}', { problem: 'The JSON has a key twice in one object.' }],
  ['{"a":1,"\\u0061":2}', { problem: 'The JSON has a key twice in one object.' }],
  ['[{"x":[{"a":{},"b":1,"a":{}}]}]', { problem: 'The JSON has a key twice in one object.' }],
  ['{"__proto__":1,"__proto__":2}', { problem: 'The JSON has a key twice in one object.' }],
  [JSON.stringify({ ['__proto__']: { a: 1 }, constructor: 2 }), { value: expect.anything() }],
  [`${'['.repeat(100)}${']'.repeat(100)}`, { value: expect.anything() }],
  ['['.repeat(101), { problem: 'The JSON is nested deeper than 100 levels.' }],
  [list(VALUES_MAX - 1), { value: expect.anything() }],
  [list(VALUES_MAX), { problem: 'The JSON has more than 50000 values.' }],
  [`{${',"a":1'.repeat(VALUES_MAX)}`, { problem: 'The JSON has more than 50000 values.' }],
])('[H12] %.20s', (text, expected) => expect(parseJson(text, 'message')).toEqual(expected))
