import { expect, test } from 'vitest'
import { createWordFlow } from './word-flow.ts'

/** The lines as a terminal shows them, without the spaces at their ends. */
const seen = (written: string): string => {
  let text = ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the command that takes a word back.
  for (const [part, back] of written.matchAll(/\u001b\[(\d+)D\u001b\[K|[^\u001b]+/g))
    text = back === undefined ? text + part : text.slice(0, -Number(back))
  return text.replaceAll(/ +$/gm, '')
}

const flowOf = (pieces: readonly string[], columns = 21): string => {
  const flow = createWordFlow(() => columns)
  return seen(pieces.map(flow.push).join(''))
}

test.each<[string, readonly string[], string]>([
  ['a short line', ['Hello, Ada.'], 'Hello, Ada.'],
  ['a line that is exactly full', ['12345678 0 234567 90 1'], '12345678 0 234567 90\n1'],
  [
    'words in pieces',
    ['every wo', 'rd of th', 'is went thr', 'ough it all'],
    'every word of this\nwent through it all',
  ],
  ['lines of the text', ['one\n', 'two\n\nthree'], 'one\ntwo\n\nthree'],
  ['the beginning of a line in code', ['if (a) {\n    return b', '\n}'], 'if (a) {\n    return b\n}'],
  ['several spaces where a line ends', ['aaaaaaaaa bbbbbbbbb   ccc'], 'aaaaaaaaa bbbbbbbbb\nccc'],
  ['Chinese, between any two characters', ['一二三四五六七八九十百千'], '一二三四五六七八九十\n百千'],
  ['Chinese and Latin', ['一二三 Bridle 四五六七八'], '一二三 Bridle 四五六\n七八'],
  ['a word longer than a line, whole', ['see https://example.org/a/b/c ok'], 'see\nhttps://example.org/a/b/c ok'],
  ['a tab', ['aaaaaaaaaaa\tb cc'], 'aaaaaaaaaaa\tb\ncc'],
])('[C280] %s', (_name, pieces, lines) => {
  expect(flowOf(pieces)).toBe(lines)
  // However the text was cut into pieces.
  expect(flowOf([...pieces.join('')])).toBe(lines)
})

test('[C280] every letter is shown at once; a word that does not fit is taken back; a new width holds at once', () => {
  let columns = 40
  const flow = createWordFlow(() => columns)
  expect(flow.push('one two thr')).toBe('one two thr')
  columns = 22
  expect(flow.push('ee four fi')).toBe('ee four fi')
  expect(flow.push('ve')).toBe('\u001b[2D\u001b[K\nfive')
  expect(flow.push(' six')).toBe(' six')
  flow.startLine()
  expect(flow.push('a line of its own ')).toBe('a line of its own ')
})
