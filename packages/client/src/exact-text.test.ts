import { expect, test } from 'vitest'
import { exactJson, exactText, visibleText } from './exact-text.ts'

test.each([
  ['emoji and line ends stay', 'a 👩\u200d🚀\n\tb', 'a 👩\u200d🚀\n\tb', 'a 👩\u200d🚀\n\tb'],
  ['a right-to-left override', 'user\u202etxt', 'user⟨U+202E⟩txt', 'user⟨U+202E⟩txt'],
  ['a space that does not break', 'rm\u00a0-rf', 'rm\u00a0-rf', 'rm⟨U+00A0⟩-rf'],
  ['a terminal escape', '\u001b[31m', '⟨U+001B⟩[31m', '⟨U+001B⟩[31m'],
])('%s', (_name, text, visible, exact) => {
  expect(visibleText(text)).toBe(visible)
  expect(exactText(text)).toBe(exact)
})

test('JSON with escapes is the same value', () => {
  const value = { 'a\u200b': 'rm\u202e -rf\u00a0/' }
  expect(exactJson(value)).toBe('{\n  "a\\u200b": "rm\\u202e -rf\\u00a0/"\n}')
  expect(JSON.parse(exactJson(value))).toEqual(value)
  expect(exactJson(undefined)).toBe('null')
})
