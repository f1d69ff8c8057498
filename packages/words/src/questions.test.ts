import { expect, test } from 'vitest'
import { answerWords, questionSettlementText } from './approvals.ts'
import { auditWords } from './audit.ts'
import { eventText } from './events.ts'
import { answerText, questionText, questionTitle } from './questions.ts'

const db = { id: 'db', question: 'Which database?' }
const checks = { id: 'checks', question: 'Which checks?', multi_select: true }

test.each<[object, string, string]>([
  [{ questions: [db] }, 'Question', 'Which database?'],
  [{ questions: [db, checks] }, '2 questions', 'Which database? · Which checks?'],
  [{ schema: { properties: {} }, reason: 'Where to?' }, 'Form', 'Where to?'],
  [{ questions: [{ question: 7 }, null], reason: 'Why.' }, '2 questions', '7'],
])('[C425] the question %j', (asked, title, text) => {
  expect([questionTitle({ ...asked }), questionText({ ...asked })]).toEqual([title, text])
})

test.each<[object, string]>([
  [{ answers: { db: 'SQLite' } }, 'SQLite'],
  [{ answers: { checks: ['lint', 'types'] } }, 'lint, types'],
  [{ answers: { checks: [] } }, 'none'],
  [{ answers: { db: 'SQLite', checks: ['lint'] } }, 'db: SQLite · checks: lint'],
  [{ values: { replicas: 3 } }, 'replicas: 3'],
  [{ values: { host: 'a.test', keep: false, tags: ['a', 1] } }, 'host: a.test · keep: false · tags: a, 1'],
  [{}, ''],
])('[C425] the answer %j', (given, text) => expect(answerText({ ...given })).toBe(text))

test.each<[object, string, string]>([
  [{ actor: 'ann', answers: { db: 'SQLite' } }, 'ann answered', ''],
  [{ actor: 'ann', decision: 'denied', reason: 'Open an issue instead.' }, 'ann declined', 'Open an issue instead.'],
  [{ decision: 'approved', reason: 'expired' }, 'Expired, so the default applies', ''],
  [{ decision: 'expired', reason: 'expired' }, 'Expired without an answer', ''],
  [{ decision: 'cancelled' }, 'The question ended with its run', ''],
  [{ decision: 'cancelled', reason: 'branched' }, 'The question stayed with the session that was branched', ''],
])('[C425] how a question was settled: %j', (fields, title, reason) =>
  expect(answerWords({ kind: 'question', ...fields })).toEqual({ title, reason }),
)

test('[C425] a question that nobody names an answer of', () =>
  expect(questionSettlementText('closed', null)).toBe('No longer waits'))

test.each<[string, object, string]>([
  ['approval_required', { questions: [db] }, 'Question: Which database?'],
  ['approval_required', { schema: {}, reason: 'Where to?' }, 'Form: Where to?'],
  ['approval_applied', { actor: 'ann', answers: { db: 'SQLite' } }, 'ann answered: SQLite'],
  ['approval_applied', { decision: 'denied', reason: 'not now' }, 'Declined: not now'],
])('[C425] the event %s %j', (type, payload, text) =>
  expect(eventText(type, { kind: 'question', tool_name: 'ask', ...payload })).toBe(text),
)

test.each<['approval_required' | 'approval_applied', object, object]>([
  ['approval_required', { questions: [db] }, { action: 'question_asked', summary: 'Which database?' }],
  [
    'approval_applied',
    { answers: { db: 'x'.repeat(300) }, reason: 'best' },
    { action: 'question_answered', summary: `${'x'.repeat(200)}…: best` },
  ],
  ['approval_applied', { decision: 'denied', reason: 'no' }, { action: 'question_declined', summary: 'no' }],
  [
    'approval_applied',
    { decision: 'approved', reason: 'expired', actor: null, answers: { db: 'SQLite' } },
    { action: 'question_expired', summary: 'SQLite: expired' },
  ],
])('[C425] the audit of %s %j', (type, payload, line) =>
  expect(auditWords(type, { kind: 'question', tool_name: 'ask', request_id: 'a', ...payload })).toEqual(line),
)
