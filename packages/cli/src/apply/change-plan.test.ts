import { expect, test } from 'vitest'
import { appliedFiles, changePlan } from './change-plan.ts'

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
  const applied = new Map(last === undefined ? [] : [['f', { session: last }]])
  const folder = { applied, target: new Map([['f', here]]), keep: new Set<string>() }
  const { sources, conflicts } = changePlan([{ path: 'f', base, now }], folder)
  expect(conflicts.length > 0 ? 'conflict' : (sources.get('f') ?? null)).toBe(expected)
})

test.each([
  // base, session, folder when the file was kept; session and folder later
  ['nothing new', 'b', 'n', 'p', 'n', 'p', null],
  ['nothing new, and the person goes on', 'b', 'n', 'p', 'n', 'q', null],
  ['nothing new, and what was kept is what the session began with', 'b', 'n', 'b', 'n', 'b', null],
  ['the person undid what was kept', 'b', 'n', 'p', 'n', 'b', 'b'],
  ['the person took the version of the session', 'b', 'n', 'p', 'm', 'n', 'n'],
  ['the session goes on', 'b', 'n', 'p', 'm', 'p', 'conflict'],
  ['the session goes on, and what was kept is what it began with', 'b', 'n', 'b', 'm', 'b', 'conflict'],
  ['both have the same now', 'b', 'n', 'p', 'm', 'm', null],
])('[C370] after a file was kept: %s', (_name, base, then, kept, now, here, expected) => {
  const folder = { applied: new Map(), target: new Map([['f', kept]]), keep: new Set(['f']) }
  const before = [{ path: 'f', base, now: then }]
  expect(changePlan(before, folder)).toEqual({ sources: new Map(), conflicts: [] })
  const applied = appliedFiles(before, folder)
  const later = { applied, target: new Map([['f', here]]), keep: new Set<string>() }
  const { sources, conflicts } = changePlan([{ path: 'f', base, now }], later)
  expect(conflicts.length > 0 ? 'conflict' : (sources.get('f') ?? null)).toBe(expected)
  // An apply of other files does not forget it.
  if (now === then) expect(appliedFiles([{ path: 'f', base, now }], later)).toEqual(applied)
})
