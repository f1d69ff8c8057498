import { expect, test } from 'vitest'
import { approvalIdOf, eventSeq, messageIdOf, messageSeq, runIdOf, runSeq, withCallId, withoutCallId } from './ids.ts'

test.each([
  ['the id of a run', runSeq(runIdOf(12)), 12],
  ['the id of a message', messageSeq(messageIdOf(7)), 7],
  ['the id of an event', eventSeq('ev-3'), 3],
  ['an event id with an incarnation', eventSeq('ev-3~2'), null],
  ['another kind of id', runSeq(messageIdOf(1)), null],
  ['the id of an approval', messageSeq(approvalIdOf(1)), null],
  ['a text before the id', runSeq('xr-1'), null],
  ['a text behind the id', runSeq('r-1x'), null],
  ['a negative number', messageSeq('m--1'), null],
  ['no number', eventSeq('ev-'), null],
  ['more digits than a number holds', runSeq('r-1234567890123456'), null],
])('%s', (_name, seq, expected) => expect(seq).toBe(expected))

test('arguments are the same after the id of their call was put in and taken out', () => {
  const args = { path: 'a', n: 1 }
  expect(withCallId(args, 'c1')).toEqual({ ...args, _tool_call_id: 'c1' })
  expect(withoutCallId(withCallId(args, 'c1'))).toEqual(args)
  expect(args).toEqual({ path: 'a', n: 1 })
})
