import { expect, test } from 'vitest'
import { exactJson, exactText, hiddenCount } from './exact-text.ts'

test.each([
  ['plain text stays, and so do emoji', 'a b\n\tä 字 ❤️ 👩\u200d🚀', 'a b\n\tä 字 ❤️ 👩\u200d🚀', 0],
  ['a right-to-left override', 'user\u202etxt.exe', 'user⟨U+202E⟩txt.exe', 1],
  ['a space that does not break', 'rm\u00a0-rf', 'rm⟨U+00A0⟩-rf', 1],
  ['a carriage return', 'safe\rrm -rf\r\n', 'safe⟨U+000D⟩rm -rf⟨U+000D⟩\n', 2],
  ['a filler that is a letter', 'a\u3164b\u115f', 'a⟨U+3164⟩b⟨U+115F⟩', 2],
  ['hidden words in variation selectors', 'ok\ufe01\u{e0105}', 'ok⟨U+FE01⟩⟨U+E0105⟩', 2],
  ['signs that are empty', 'a\u{1d159}b\u{13442}', 'a⟨U+1D159⟩b⟨U+13442⟩', 2],
  ['a line separator and an empty pattern of dots', 'a\u2028b\u2800', 'a⟨U+2028⟩b⟨U+2800⟩', 2],
  ['half of a character', 'a\ud83d', 'a⟨U+D83D⟩', 1],
  ['text that looks like a mark is no hidden character', 'a⟨U+202E⟩b', 'a⟨U+202E⟩b', 0],
])('%s', (_name, text, expected, count) => {
  expect(exactText(text)).toBe(expected)
  expect(hiddenCount(text)).toBe(count)
})

test('JSON with escapes is the same value', () => {
  const value = { 'a\u200b': ['x\u202ey', '\ud83d', '👩\u200d🚀', '\u{e0041}'], b: '\u0007\r\n', c: '❤️ \u00a0' }
  const text = exactJson(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(text).toContain('"a\\u200b"')
  expect(text).toContain('x\\u202ey')
  expect(text).toContain('\\udb40\\udc41')
  expect(text).toContain('👩\u200d🚀')
  expect(hiddenCount(text)).toBe(0)
})
