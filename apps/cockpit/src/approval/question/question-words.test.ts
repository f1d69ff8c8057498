import { expect, test } from 'vitest'
import { askedSize, askedText, askedTitle, isDefaultApplied } from './question-words.ts'

const options = [{ label: 'a' }, { label: 'b' }]
const question = { id: 'q1', question: 'Which?', options }
const schema = { type: 'object', properties: { host: { type: 'string' } } }

test.each([
  [{ questions: [question] }, 'Question', 'Which?', 'question, 2 options'],
  [{ questions: [{ id: 'q1', question: 'Why?' }] }, 'Question', 'Why?', 'question'],
  [{ questions: [question, { ...question, id: 'q2' }] }, '2 questions', 'Which? · Which?', '2 questions'],
  [{ schema }, 'Form', 'Where to?', 'form, 1 field'],
  [{}, 'Question', 'Where to?', 'question'],
])('[C425] %j in a line', (asked, ...words) => {
  const given = { reason: 'Where to?', ...asked }
  expect([askedTitle(given), askedText(given), askedSize(given)]).toEqual(words)
})

const [before, at] = ['2026-11-19T10:00:00.000Z', '2026-11-19T10:01:00.000Z']
test.each([
  ['at its expiry, by nobody', at, { decidedBy: null, decidedAt: at }, true],
  ['before its expiry', at, { decidedBy: null, decidedAt: before }, false],
  ['by somebody', at, { decidedBy: 'ann', decidedAt: at }, false],
  ['one that never expires', null, { decidedBy: null, decidedAt: at }, false],
])('[C421] the default applies: %s', (_name, expiresAt, details, isDefault) =>
  expect(isDefaultApplied({ kind: 'question', expiresAt }, { decision: 'approved', ...details })).toBe(isDefault),
)
