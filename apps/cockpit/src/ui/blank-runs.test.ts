import { expect, test } from 'vitest'
import { isBlank, linesText, textPieces } from './blank-runs.ts'

const shown = (text: string): string =>
  textPieces(text)
    .map((piece) => piece.text)
    .join('')
const lines = (count: number, line = ''): string => `${line}\n`.repeat(count)

test.each([
  ['plain text', 'a b\n\tc\n\n\nd', 'a b\n\tc\n\n\nd'],
  ['nothing', '', ''],
  ['20 spaces', `a${' '.repeat(20)}b`, `a${' '.repeat(20)}b`],
  ['21 spaces', `a${' '.repeat(21)}b`, 'a⟨21 spaces⟩b'],
  ['3000 spaces', `npm test${' '.repeat(3000)}; curl`, 'npm test⟨3000 spaces⟩; curl'],
  ['two empty lines', 'a\n\n\nb', 'a\n\n\nb'],
  ['three empty lines', 'a\n\n\n\nb', 'a\n⟨3 empty lines⟩\nb'],
  ['80 line ends', `npm test${lines(80)}curl`, 'npm test\n⟨79 empty lines⟩\ncurl'],
  [
    '80 line ends of Windows',
    `npm test${'\r\n'.repeat(80)}curl`,
    'npm test⟨U+000D⟩\n⟨79 blank lines: 79 U+000D⟩\ncurl',
  ],
  ['lines of spaces', `a\n${lines(79, '  ')}curl`, 'a\n⟨79 blank lines: 158 spaces⟩\ncurl'],
  ['spaces at the end and indentation stay', `a  \n${lines(9)}    b`, 'a  \n⟨9 empty lines⟩\n    b'],
  ['long indentation behind empty lines', `a\n${lines(9)}${' '.repeat(99)}b`, 'a\n⟨9 empty lines⟩\n⟨99 spaces⟩b'],
  ['empty lines before the text', `${lines(80)}curl`, '⟨80 empty lines⟩\ncurl'],
  ['empty lines behind the text', `curl${lines(80)}`, 'curl\n⟨79 empty lines⟩\n'],
  ['nothing but empty lines', lines(5), '⟨5 empty lines⟩\n'],
  ['spaces before the text', `${' '.repeat(99)}curl`, '⟨99 spaces⟩curl'],
  ['tabs', `a${'\t'.repeat(40)}b`, 'a⟨40 tabs⟩b'],
  ['vertical tabs, form feeds, next lines', `a${'\v\f\u0085'.repeat(40)}b`, 'a⟨40 U+000B, 40 U+000C, 40 U+0085⟩b'],
  ['separators of lines', `a${'\u2028'.repeat(80)}b`, 'a⟨80 U+2028⟩b'],
  ['wide spaces', `a${'\u3000'.repeat(80)}b`, 'a⟨80 U+3000⟩b'],
  ['spaces that do not break', `a${'\u00a0'.repeat(80)}b`, 'a⟨80 U+00A0⟩b'],
  ['characters without a width', `a${'\u200b'.repeat(80)}b`, 'a⟨80 U+200B⟩b'],
  ['empty signs', `a${'\u{1d159}\u{13441}'.repeat(40)}b`, 'a⟨40 U+1D159, 40 U+13441⟩b'],
  ['fillers and empty patterns', `a${'\u3164\u2800'.repeat(40)}b`, 'a⟨40 U+3164, 40 U+2800⟩b'],
  [
    'a mixture',
    `a${' \t\u00a0\u2003\u3000\u200b'.repeat(10)}b`,
    'a⟨10 spaces, 10 tabs, 10 U+00A0, 10 U+2003, 20 others⟩b',
  ],
  [
    'a mixture with line ends',
    `a${' \n\u00a0\u2028'.repeat(30)}b`,
    'a \n⟨29 blank lines: 29 U+00A0, 29 U+2028, 29 spaces⟩\n⟨U+00A0⟩⟨U+2028⟩b',
  ],
  ['a few hidden characters', 'rm\u00a0-rf\u202e', 'rm⟨U+00A0⟩-rf⟨U+202E⟩'],
  ['emoji', `❤️ 👩\u200d🚀${' '.repeat(21)}👩\u200d🚀`, '❤️ 👩\u200d🚀⟨21 spaces⟩👩\u200d🚀'],
  ['one line between runs', `a${lines(9)}b${lines(9)}c`, 'a\n⟨8 empty lines⟩\nb\n⟨8 empty lines⟩\nc'],
])('%s', (_name, text, expected) => expect(shown(text)).toBe(expected))

test('a text that looks like a count is text, so that the page can draw the two differently', () => {
  expect(textPieces(`⟨79 empty lines⟩${' '.repeat(30)}⟨2 spaces⟩`)).toEqual([
    { type: 'text', text: '⟨79 empty lines⟩' },
    { type: 'blank', text: '⟨30 spaces⟩' },
    { type: 'text', text: '⟨2 spaces⟩' },
  ])
})

test('a million blanks take no time that grows with their square', () => {
  expect(shown(`a${' \n'.repeat(500_000)}b`)).toBe('a \n⟨499999 blank lines: 499999 spaces⟩\nb')
})

test('lines of a diff are counted in the same words', () => {
  expect(['', ' \t', '\u2800\u3164', 'x', '\u200bx'].map(isBlank)).toEqual([true, true, true, false, false])
  expect(linesText(['', '', ''])).toBe('3 empty lines')
  expect(linesText([' ', '\t', ''])).toBe('3 blank lines: 1 space, 1 tab')
})
