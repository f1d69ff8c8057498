import { expect, test } from 'vitest'
import { truncate, truncateAtWord } from './truncate.ts'

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

test.each([
  ['tell you', 8, 'tell you'],
  ['tell you', 7, 'tell…'],
  ['tell you', 6, 'tell…'],
  ['tell you', 5, 'tell…'],
  ['tell  you what', 10, 'tell  you…'],
  ['telling', 4, 'tel…'],
  ['a\n\nbcdefgh', 5, 'a…'],
  ['a😀😀', 3, 'a…'],
])('%j in whole words to %i characters', (text, charsMax, expected) => {
  expect(truncateAtWord(text, charsMax)).toBe(expected)
})
