import type { AgentEvent } from 'bridle/client'
import { expect, test } from 'vitest'
import { emptyAnswer, foldAnswer, isOver } from './run-answer.ts'

const event = (type: string, data: object): AgentEvent => ({ id: 'ev-1', type, data }) as unknown as AgentEvent

test('text, two calls of one name, a question, and the end', () => {
  const events = [
    event('text_delta', { delta: 'Hello wrong' }),
    event('text_superseded', { chars: 6 }),
    event('text_delta', { delta: 'you' }),
    event('tool_start', { toolCallId: 'a', toolName: 'read' }),
    event('tool_start', { toolCallId: 'b', toolName: 'read' }),
    event('tool_end', { toolCallId: 'a', isError: true }),
    event('approval_requested', {}),
  ]
  const waiting = events.reduce(foldAnswer, emptyAnswer)
  expect(waiting).toEqual({
    phase: 'waiting',
    text: 'Hello you',
    result: undefined,
    tools: [
      { id: 'a', name: 'read', status: 'error' },
      { id: 'b', name: 'read', status: 'running' },
    ],
    error: '',
  })
  expect(isOver(waiting)).toBe(false)
  const done = [event('approval_resolved', {}), event('result', { result: 'Hello you' })].reduce(foldAnswer, waiting)
  expect([done.phase, done.result, isOver(done)]).toEqual(['done', 'Hello you', true])
  expect(foldAnswer(emptyAnswer, event('error', { message: 'no' }))).toMatchObject({ phase: 'failed', error: 'no' })
})
