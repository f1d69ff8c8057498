import { expect, test } from 'vitest'
import type { CardApproval } from '../card-approval.ts'
import { type AskedRequest, draftText, initialRequest, requestAnswer, requestOf } from './request-draft.ts'

const approval: CardApproval = { id: 'apr-1', kind: 'question', toolName: 'ask', reason: 'Which?', args: null }
const question = { id: 'db', question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }
const schema = { type: 'object', properties: { host: { type: 'string' } } }

test('[C416] a list may have no room for what is asked', () => {
  expect(requestOf(approval)).toBeNull()
  expect(requestOf({ ...approval, questions: [question] })).toEqual({ questions: [question] })
  expect(requestOf({ ...approval, schema, default: { host: 'x' } })).toEqual({ schema, default: { host: 'x' } })
})

test.each<[AskedRequest, object]>([
  [{ questions: [question], default: { db: 'b' } }, { answers: { db: 'b' } }],
  [{ schema, default: { host: 'a.test' } }, { values: { host: 'a.test' } }],
])('[C420] the default is the answer from the start: %j', (request, given) => {
  const draft = initialRequest(request)
  expect(requestAnswer(request, draft).given).toEqual(given)
  expect(JSON.parse(draftText(request, draft))).toEqual(Object.values(given)[0])
})

test('[C421] an answer that is not complete can be copied', () => {
  const request = { questions: [question, { id: 'why', question: 'Why?', allow_free_text: true }] }
  const draft = initialRequest(request)
  expect(draftText(request, draft)).toBe('')
  const written = { ...draft, questions: draft.questions.map((each) => ({ ...each, text: 'Because.' })).slice(1) }
  expect(draftText(request, written)).toBe('Because.')
  const form = { ...initialRequest({ schema }), form: { fields: new Map([['host', 'a']]), json: '{"host": ' } }
  expect(draftText({ schema }, form)).toBe('{"host": ')
})
