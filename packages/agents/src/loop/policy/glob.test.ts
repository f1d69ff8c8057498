import { expect, test } from 'vitest'
import { matchesGlob } from './glob.ts'

test.each<[string, string, boolean]>([
  ['pay', 'pay', true],
  ['pay', 'repay', false],
  ['pay', 'pays', false],
  ['*', '', true],
  ['*', 'anything\nat all', true],
  ['read_*', 'read_file', true],
  ['read_*', 'read_', true],
  ['read_*', 'Read_file', false],
  ['*_file', 'read_file', true],
  ['*_file', 'read_files', false],
  ['a*b*c', 'aXbYc', true],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'acb', false],
  ['a*a', 'a', false],
  ['a*aa', 'aa', false],
  ['ab*ba', 'aba', false],
  ['*git push*', 'cd x && git push -f', true],
  ['rm *', 'rm -rf /', true],
  ['rm *', 'rmdir x', false],
  ['**', 'x', true],
  ['a.c', 'abc', false],
  ['(a+)+$', '(a+)+$', true],
  ['', '', true],
  ['', 'x', false],
])('[N95] %j on %j: %s', (glob, text, expected) => {
  expect(matchesGlob(glob, text)).toBe(expected)
})

test('[N95] a pattern of many stars reads a long text once', () => {
  const text = 'a'.repeat(200_000)
  expect(matchesGlob(`${'*a'.repeat(500)}*b`, text)).toBe(false)
  expect(matchesGlob(`${'*a'.repeat(500)}*`, text)).toBe(true)
})
