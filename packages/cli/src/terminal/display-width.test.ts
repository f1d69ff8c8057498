import { expect, test } from 'vitest'
import { cutToColumns, displayWidth, endInColumns, glyphsOf } from './display-width.ts'

test.each([
  ['plain', 'abc', 3],
  ['Chinese', '世界', 4],
  ['a combining mark', 'e\u0301', 1],
  ['an emoji', '🎉', 2],
  ['an emoji of several parts', '👩‍👩‍👧‍👦', 2],
  ['a flag', '🇩🇪', 2],
  ['a skin tone', '👍🏽', 2],
  ['three flags', '🇩🇪🇫🇷🇯🇵', 6],
  ['the flag of a part of a country', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 2],
  ['a heart as a picture', '❤️', 2],
  ['a heart as a letter', '❤', 1],
  ['a key', '1️⃣', 2],
  ['a joined heart', '❤️‍🔥', 2],
  ['many marks', 'Z̸̢͓a̶͍', 2],
  ['Thai with a vowel above', 'กี', 1],
  ['a full width letter', 'Ａ', 2],
  ['a zero width space', 'a\u200bb', 2],
  ['Hangul in parts', '\u1112\u1161\u11ab', 2],
  ['nothing', '', 0],
])('%s', (_name, text, columns) => expect(displayWidth(text)).toBe(columns))

test('a person sees characters, not code points', () => {
  expect(glyphsOf('a世👩‍👩‍👧‍👦')).toEqual([
    { text: 'a', columns: 1 },
    { text: '世', columns: 2 },
    { text: '👩‍👩‍👧‍👦', columns: 2 },
  ])
})

test.each([
  ['abc', 3, 'abc', 'abc'],
  ['abcdef', 4, 'abc…', '…def'],
  ['世界世界', 5, '世界…', '…世界'],
  ['世界世界', 4, '世…', '…界'],
])('%s in %i columns', (text, columns, cut, end) => {
  expect([cutToColumns(text, columns), endInColumns(text, columns)]).toEqual([cut, end])
})
