import { expect, test } from 'vitest'
import { importsIn, isSurelyPath } from './imports.ts'

const found = (text: string, from = 'CLAUDE.md') =>
  importsIn(text, from).map((target) => ('path' in target ? target.path : `outside: ${target.written}`))

test.each<[string, string, string[]]>([
  ['a path', 'See @docs/style.md for more.', ['docs/style.md']],
  ['at the end of a sentence', 'Read @docs/a.md, @docs/b.md. (@c.md)', ['docs/a.md', 'docs/b.md']],
  ['with a section', '@docs/a.md#rules', ['docs/a.md']],
  ['with an escaped space', '@docs/my\\ notes.md', ['docs/my notes.md']],
  ['twice', '@a.md @a.md', ['a.md']],
  ['an address of mail', 'Write to ann@example.com', []],
  ['in a span of code', 'Use `@docs/a.md` or ``a ` @b.md`` and @c.md', ['c.md']],
  ['a backtick without an end', 'One ` backtick and @a.md', ['a.md']],
  ['a span does not reach over a paragraph', 'One `\n\n@a.md\n\ntwo `', ['a.md']],
  ['in a fence', '```sh\n@a.md\n```\n@b.md\n~~~~\n@c.md\n~~~\n@d.md\n~~~~\n@e.md', ['b.md', 'e.md']],
  [
    'absolute, at home, climbing',
    '@/etc/passwd @~/x @../../x @C:/x',
    ['outside: /etc/passwd', 'outside: ~/x', 'outside: ../../x', 'outside: C:/x'],
  ],
  ['down and up again', '@docs/../a.md @./b.md @docs/', ['a.md', 'b.md', 'docs']],
])('[EN3] imports: %s', (_name, text, expected) => {
  expect(found(text)).toEqual(expected)
})

test('[EN3] an import is relative to the text that has it', () => {
  expect(found('@../AGENTS.md @rules.md @../../x', '.claude/CLAUDE.md')).toEqual([
    'AGENTS.md',
    '.claude/rules.md',
    'outside: ../../x',
  ])
})

test('[EN3] a name of a person or a package is not surely a path', () => {
  expect(['./x', '../x', 'a.md', 'notes.TXT', 'ann', 'types/node', 'scope/name.js'].filter(isSurelyPath)).toEqual([
    './x',
    '../x',
    'a.md',
    'notes.TXT',
  ])
})

test('[EN3] a text made to be slow is not', () => {
  const rows = Array.from({ length: 700 }, (_, index) => '`'.repeat(index + 1)).join(' ')
  for (const text of [rows, '` '.repeat(100_000), `@${'.'.repeat(200_000)}x`, '@a '.repeat(80_000)])
    expect(importsIn(text, 'CLAUDE.md').length).toBeLessThan(2)
})
