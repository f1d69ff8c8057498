import type { FrontendQuestion, HarnessToolCall } from 'bridle/client'
import { expect, test } from 'vitest'
import { toolQuestion } from './tool-question.ts'

const call: HarnessToolCall = { id: 'c', name: 'ask', status: 'complete' }
const ids = { request_id: 'apr-1', tool_call_id: 'c', tool_name: 'ask' }
const asked = {
  ...ids,
  ...{ reason: 'Which database?', kind: 'question' as const },
  questions: [{ id: 'db', question: 'Which database?', allow_free_text: true }],
}
const settled = (more: object): FrontendQuestion => ({ asked, settled: { ...ids, ...more } })

test.each([
  [{ answers: { db: 'SQLite' }, actor: 'ann' }, 'Which database? → SQLite', 'answered', 'circle-check'],
  [{ answers: { db: 'two\nlines' } }, 'Which database? → two lines', 'answered', 'circle-check'],
  [{ decision: 'denied', reason: 'no' }, 'Which database?', 'declined', 'ban'],
  [{ decision: 'expired', reason: 'expired' }, 'Which database?', 'expired', 'timer-off'],
])('[C425] a settled question in the thread: %j', (event, brief, word, icon) =>
  expect(toolQuestion(call, { question: settled(event) })).toMatchObject({
    ...{ title: 'Question', brief },
    look: { word, icon },
  }),
)

test('[C425] the answer is enough where the page has lost the events', () => {
  const approval = { id: 'apr-1', status: 'approved' as const, answers: { db: 'SQLite' } }
  expect(toolQuestion({ ...call, approval }, undefined)).toMatchObject({ title: 'Question', brief: 'SQLite' })
})

test('[C425] a call of a tool, and a question that waits, are not settled questions', () => {
  expect(toolQuestion({ ...call, approval: { id: 'apr-1', status: 'approved' } }, undefined)).toBeNull()
  expect(toolQuestion(call, { question: { asked, settled: null } })).toBeNull()
})
