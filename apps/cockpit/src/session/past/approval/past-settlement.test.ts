import type { LogEntry } from 'bridle/history'
import { expect, test } from 'vitest'
import type { CardApproval } from '../../../approval/card-approval.ts'
import { settlementOf, wholeQuestion } from './past-settlement.ts'

const asked: LogEntry = {
  seq: 41,
  at: 1_000,
  type: 'approval_required',
  payload: {
    request_id: 'r',
    tool_name: 'edit_file',
    reason: 'it writes',
    arguments: { path: 'a.yaml', attempts: 2, _tool_call_id: 'c' },
  },
}
const decided = (payload: LogEntry['payload']): LogEntry => ({
  seq: 44,
  at: 2_000,
  type: 'approval_decided',
  payload: { request_id: 'r', ...payload },
})

const listed: CardApproval = { id: 'r', kind: 'tool', toolName: 'edit_file', reason: 'it wr', args: null, isCut: true }

test('[C35] the log has all of a question that the state cuts', () => {
  expect(wholeQuestion(listed, asked)).toEqual({
    ...listed,
    reason: 'it writes',
    args: { path: 'a.yaml', attempts: 2 },
    isCut: false,
  })
  const whole = { ...listed, args: { path: 'b' }, isCut: false }
  expect(wholeQuestion(whole, asked)).toBe(whole)
})

test('[C35] the log has the questions that the state cuts', () => {
  const questions = [{ id: 'db', question: 'Which?', allow_free_text: true }]
  const entry = { ...asked, payload: { ...asked.payload, kind: 'question', questions, default: { db: 'SQLite' } } }
  expect(wholeQuestion({ ...listed, kind: 'question' }, entry)).toMatchObject({ questions, default: { db: 'SQLite' } })
})

test.each([
  [
    { decision: 'approved', actor: 'ann', arguments: { path: 'a.yaml', attempts: 3 } },
    'ann approved with edits',
    ['attempts: 3'],
  ],
  [{ decision: 'approved', actor: 'ann', arguments: { path: 'a.yaml', attempts: 2 } }, 'ann approved', []],
  [{ decision: 'denied' }, 'Denied', []],
  [{ decision: 'expired' }, 'Expired without an answer', []],
  [{ decision: 'superseded' }, 'The approval was withdrawn', []],
  [
    { decision: 'approved', arguments: { a: 'x'.repeat(90), b: 1, c: [2], d: 3 } },
    'Approved with edits',
    [`a: ${'x'.repeat(40)}…`, 'b: 1', 'c: [2]', '…'],
  ],
])('[C35] the answer of later is told with what it changed: %j', (payload, text, changes) => {
  expect(settlementOf(decided(payload as LogEntry['payload']), asked)).toEqual({ seq: 44, text, changes })
})

test('[C35] an approval that nobody answered has no answer', () => expect(settlementOf(undefined, asked)).toBe(null))
