import { expect, test } from 'vitest'
import { depth, parseJson } from './json-text.ts'

test.each([
  ['{}', 1],
  ['[[[]]]', 3],
  ['{"a":"[[[["}', 1],
  ['{"a":"\\"[[["}', 1],
  ['"', 0],
  ['[', 1],
])('the depth of %s is %i', (text, expected) => expect(depth(text)).toBe(expected))

test.each<[string, unknown]>([
  ['{"a":1}', { value: { a: 1 } }],
  ['null', { value: null }],
  ['{', { problem: 'The message is not JSON.' }],
  [`${'['.repeat(100)}${']'.repeat(100)}`, { value: expect.anything() }],
  ['['.repeat(101), { problem: 'The JSON is nested deeper than 100 levels.' }],
])('[H12] %.20s', (text, expected) => expect(parseJson(text, 'message')).toEqual(expected))
