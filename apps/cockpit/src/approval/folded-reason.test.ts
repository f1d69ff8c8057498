import { expect, test } from 'vitest'
import { foldedReason } from './folded-reason.ts'

test.each([
  ['a short one', 'It runs the tests.', null],
  ['five lines', 'a\nb\nc\nd\ne', null],
  ['six lines', 'a\nb\nc\nd\ne\nf', 'a\nb\nc\nd\ne'],
  ['400 characters', 'x'.repeat(400), null],
  ['a long line', 'x'.repeat(2_000), 'x'.repeat(400)],
  ['a cut in the middle of a word', `${'x'.repeat(395)} carefully`, 'x'.repeat(395)],
  ['a cut in the middle of a character', `${'x'.repeat(399)}🐎`, 'x'.repeat(399)],
  ['blank lines', `a${'\n'.repeat(80)}b`, 'a'],
])('%s', (_name, text, folded) => expect(foldedReason(text)).toBe(folded))
