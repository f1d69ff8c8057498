import { expect, test } from 'vitest'
import { changePlan } from './change-plan.ts'

test.each([
  // base, last apply, session, folder: the source of the patch, a conflict, or nothing to do
  ['a first apply', 'b', undefined, 'n', 'b', 'b'],
  ['a first apply to a changed file', 'b', undefined, 'n', 'p', 'b'],
  ['a first apply of a file that is there', 'b', undefined, 'n', 'n', null],
  ['nothing new', 'b', 'l', 'l', 'l', null],
  ['a new change', 'b', 'l', 'n', 'l', 'l'],
  ['a new change that is undone in the folder', 'b', 'l', 'n', 'b', 'b'],
  ['a new change to a file that the person changed', 'b', 'l', 'n', 'p', 'conflict'],
  ['nothing new, and the person changed the file', 'b', 'l', 'l', 'p', null],
  ['nothing new, and the person undid it', 'b', 'l', 'l', 'b', 'b'],
  ['a change that the session took back', 'b', 'l', 'b', 'l', 'l'],
  ['a file that the session removed again', '', 'l', '', 'l', 'l'],
  ['a file that the person removed', 'b', 'l', 'n', '', 'conflict'],
])('[C349] %s', (_name, base, last, now, here, expected) => {
  const applied = new Map(last === undefined ? [] : [['f', last]])
  const { sources, conflicts } = changePlan([{ path: 'f', base, now }], applied, new Map([['f', here]]))
  expect(conflicts.length > 0 ? 'conflict' : (sources.get('f') ?? null)).toBe(expected)
})
