import { expect, test } from 'vitest'
import { cursorProblem, cursorText, parseCursor } from './cursor.ts'

const log = { first: 1, head: 118, incarnation: 1 }

test.each([
  ['41', { seq: 41, incarnation: 1 }],
  ['41~2', { seq: 41, incarnation: 2 }],
  ['abc', null],
  ['', null],
  ['-1', null],
  ['4.1', null],
  ['1e3', null],
  ['41~', null],
  ['9'.repeat(40), null],
])('[C31] %s names an event, or none', (text, cursor) => {
  expect(parseCursor(text)).toEqual(cursor)
  if (cursor) expect(cursorText(cursor)).toBe(text)
})

test.each([
  ['1', log, null],
  ['118', log, null],
  ['abc', log, 'The address names no event: “at” is a number from 1 to 118.'],
  ['999999', log, 'There is no event 999999: the log ends at 118.'],
  ['0', log, 'There is no event 0: the log begins at 1.'],
  ['3', { ...log, first: 9 }, 'There is no event 3: the log begins at 9.'],
  [
    '41',
    { ...log, incarnation: 2 },
    'Event 41 belongs to an earlier log of this session, which was lost and goes on differently.',
  ],
  ['41~2', { ...log, incarnation: 2 }, null],
])('[C31] a cursor that does not fit says why: %s', (text, known, problem) => {
  expect(cursorProblem(text, known)).toBe(problem)
})
