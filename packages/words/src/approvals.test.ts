import { expect, test } from 'vitest'
import { actorText, answerWords, approvalSubject, byActor, settlementText } from './approvals.ts'

test.each<[object, string, string]>([
  [{ actor: 'ann' }, 'ann approved', ''],
  [{ actor: 'ann', actor_claimed: true, decision: 'denied' }, 'ann (not signed in) denied', ''],
  [{ decision: 'denied', reason: 'not now' }, 'Denied', 'not now'],
  [{ decision: 'cancelled' }, 'The approval ended with its run', ''],
  [{ decision: 'cancelled', reason: 'branched' }, 'The approval stayed with the session that was branched', ''],
  [{ decision: 'cancelled', reason: 'imported' }, 'The approval stayed with the session that was exported', ''],
  [{ decision: 'superseded', reason: 'raised' }, 'The approval was withdrawn', 'raised'],
])('the answer %j', (fields, title, reason) => expect(answerWords({ ...fields })).toEqual({ title, reason }))

test('the people and the subject', () => {
  expect([actorText({}), actorText({ actor: 'ann' }), byActor('Paused', { actor: 'ann' })]).toEqual([
    ...['', 'ann', 'Paused by ann'],
  ])
  expect(approvalSubject({ tool_name: 'max_cost_usd', kind: 'budget' })).toBe('cost limit')
})

test.each([
  ['approved', 'ann', false, 'ann approved'],
  ['approved', 'ann', true, 'ann approved with edits'],
  ['approved', null, true, 'Approved with edits'],
  ['denied', null, false, 'Denied'],
  ['expired', null, false, 'Expired without an answer'],
  ['cancelled', 'ann', false, 'The approval ended with its run'],
  ['closed', null, false, 'No longer waits'],
])('the settlement %s by %s', (decision, by, isEdited, text) =>
  expect(settlementText(decision, by, isEdited)).toBe(text),
)
