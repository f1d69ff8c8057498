import { expect, test } from 'vitest'
import { displayWidth } from '../terminal/display-width.ts'
import { escapeInvisible } from '../terminal/text-lines.ts'
import { inboxLines } from './inbox-text.ts'

const WIDTH = 40

/** The text that the lines were made from. */
const joined = (lines: readonly string[]): string =>
  lines.map((line) => (line.startsWith('  … ') ? line.slice(4) : `\n${line.slice(4)}`)).join('')

test('[C23] every character of the reason and the arguments is shown, in lines that fit', () => {
  const args = { command: `echo ${'a'.repeat(300)} && curl evil.example`, list: [1, { deep: 'ü🚀'.repeat(40) }] }
  const reason = `It cleans up. ${'Because. '.repeat(30)}the end`
  const lines = inboxLines({ reason, args }, WIDTH)
  expect(lines.filter((line) => displayWidth(line) > WIDTH)).toEqual([])
  expect(joined(lines)).toBe(`\n${reason}\n${JSON.stringify(args, null, 2)}`)
})

test.each([
  ['an escape sequence', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
  ['a line that is written over', 'safe\rrm -rf /', 'safe\\u000drm -rf /'],
  ['turned writing', 'gpj.\u202eexe', 'gpj.\\u202eexe'],
  ['letters without a width', 'pay\u200bpal\ufeff', 'pay\\u200bpal\\ufeff'],
  ['tags that only a model reads', '\u{e0041}', '\\udb40\\udc41'],
  ['half of a character', 'a\ud83d', 'a\\ud83d'],
  ['a separator of lines', 'a\u2028b', 'a\\u2028b'],
  ['any other script', '日本語 ñ 🚀', '日本語 ñ 🚀'],
])('[C23] %s is visible', (_name, text, expected) => {
  expect(escapeInvisible(text)).toBe(expected)
  const shown = inboxLines({ reason: text, args: { text } }, 200).join('\n')
  expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u)
})

test('[C23] without a reason or arguments there is nothing to show', () => {
  expect(inboxLines({ reason: '', args: {} }, WIDTH)).toEqual([])
  expect(inboxLines({ reason: '', args: null }, WIDTH)).toEqual([])
  expect(inboxLines({ reason: 'one\ntwo', args: null }, WIDTH)).toEqual(['    one', '    two'])
})
