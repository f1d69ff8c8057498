import { expect, test } from 'vitest'
import { hasHiddenCharacters, plainName, visibleText } from './plain-text.ts'

test.each([
  ['plain text stays, and so do emoji with a joiner', 'plain text\n\tä 字 👩\u200d🚀', 'plain text\n\tä 字 👩\u200d🚀'],
  ['a joiner between letters', 'ad\u200dmin', 'ad⟨U+200D⟩min'],
  ['a terminal escape', 'a\u001b[31mb', 'a⟨U+001B⟩[31mb'],
  ['a right-to-left override', 'user\u202etxt.exe', 'user⟨U+202E⟩txt.exe'],
  ['a zero-width space in a command', 'rm\u200b -rf', 'rm⟨U+200B⟩ -rf'],
  ['tag characters', 'ok\u{e0041}', 'ok⟨U+E0041⟩'],
  ['markup is left to React', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
])('%s', (_name, text, expected) => {
  expect(visibleText(text)).toBe(expected)
  expect(hasHiddenCharacters(text)).toBe(text !== expected)
})

test('a file is saved under a name without hidden characters', () => {
  expect(plainName('CON.\u202etxt.exe')).toBe('CON.txt.exe')
  expect(plainName('a\nb 👩\u200d🚀.md')).toBe('ab 👩\u200d🚀.md')
})
