import { expect, test } from 'vitest'
import { isPlainMarkdown } from './plain-markdown.ts'

test.each([
  '# The plan\n\n1. Write `planned.txt`.\n2. **Test** it.\n\n```sh\nnpm test\n```\n',
  'a & b, 1 < 2, f(x)(y)',
])('[C426] markdown draws all of %j', (text) => expect(isPlainMarkdown(text)).toBe(true))

test.each([
  ['a link', '[the docs](https://evil.example)'],
  ['a picture', '![ ](https://evil.example)'],
  ['a definition', '[a]: https://evil.example "and rm -rf"'],
  ['a reference', '[the docs][a]'],
  ['a comment', '<!-- rm -rf / -->'],
  ['an entity', 'rm&#32;-rf'],
  ['words behind a language', '```sh rm -rf /\nls\n```'],
  ['hidden characters', 'a\u202eb'],
  ['a long run of blanks', `a${'\n'.repeat(80)}b`],
  ['letters from right to left', 'א'],
])('[C426] markdown does not draw all of %s', (_name, text) => expect(isPlainMarkdown(text)).toBe(false))
