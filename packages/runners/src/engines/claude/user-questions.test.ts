import type { JsonObject } from '@bridle/events/json'
import { expect, test } from 'vitest'
import type { EngineApprovalDecision } from '../engine.ts'
import { RecordingTurn } from '../recording-turn.suite.ts'
import { askUserQuestions } from './user-questions.ts'

const color = {
  question: 'Which?',
  header: 'Color',
  options: [
    { label: 'red', description: 'Warm.' },
    { label: 'blue', description: 'Cold.' },
  ],
}
const ask = (input: JsonObject, verdict: Partial<EngineApprovalDecision> & object) => {
  const turn = new RecordingTurn(() => ({ decision: 'approved', input, ...verdict }) as EngineApprovalDecision)
  const answer = askUserQuestions(turn, { toolUseId: 't', toolName: 'AskUserQuestion', input })
  return answer.then((decision) => ({ decision, turn }))
}

test('[R29] questions with the same text have answers of their own', async () => {
  const input = { questions: [color, color] }
  const { decision, turn } = await ask(input, { given: { answers: { q1: 'red', q2: 'blue' } } })
  expect(turn.asked[0]?.question?.questions?.map(({ id }) => id)).toEqual(['q1', 'q2'])
  expect(decision).toMatchObject({
    decision: 'approved',
    input: {
      questions: [color, { ...color, question: 'Which? (2)' }],
      answers: { 'Which?': 'red', 'Which? (2)': 'blue' },
    },
  })
})

test('[R29] a question without options takes a text', async () => {
  const { decision, turn } = await ask({ questions: [{ question: 'Name?' }] }, { given: { answers: { q1: 'Ada' } } })
  expect(turn.asked[0]?.question).toEqual({ questions: [{ id: 'q1', question: 'Name?', allow_free_text: true }] })
  expect(decision).toMatchObject({ input: { answers: { 'Name?': 'Ada' } } })
})

test.each<[string, JsonObject]>([
  ['no questions', {}],
  ['an empty list', { questions: [] }],
  ['17 questions', { questions: Array.from({ length: 17 }, () => color) }],
  ['a text in place of a question', { questions: ['Which?'] }],
])('[R30] %s is refused with the reason, and a notice is in the log', async (_name, input) => {
  const { decision, turn } = await ask(input, {})
  expect(decision).toEqual({
    decision: 'denied',
    reason: expect.stringMatching(/^The question was not asked\. \S/),
    isRefused: true,
  })
  expect(turn.asked).toEqual([])
  expect(turn.events).toMatchObject([{ type: 'context.warning', kind: 'question_refused' }])
})
