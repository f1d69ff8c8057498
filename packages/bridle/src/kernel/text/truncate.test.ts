import { expect, test } from 'vitest'
import { truncate } from './truncate.ts'

test.each([
  ['abc', 3, 'abc'],
  ['abc', 2, 'ab'],
  ['a😀', 2, 'a'],
  ['a😀b', 3, 'a😀'],
  // Half a character that was there before stays: nothing was cut.
  ['a\ud83d', 2, 'a\ud83d'],
  ['', 5, ''],
])('%j to %i characters', (text, charsMax, expected) => {
  expect(truncate(text, charsMax)).toBe(expected)
})
