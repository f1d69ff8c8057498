// Requests that are sent again: what makes two of them one, and what an answer promises about another try.
import { expect, test } from 'vitest'
import { waitingRunner } from '../http/waiting-runner.suite.ts'
import { messageOf, script, summaryOf, testEngine } from './engine.suite.ts'

const sessionOf = ({ headers }: { readonly headers: Headers }) => headers.get('x-bridle-session') as string

test('[OH141] without a request_id, Idempotency-Key is the key of the request', async () => {
  const { send, get } = testEngine()
  const turn = (text: string, key: string, context: object = {}) =>
    send(messageOf({ user_intent: script({ text }), ...context }), { 'idempotency-key': key })
  for (const context of [{}, { session_id: 'named' }, { session_id: 'named', conversation_id: 'c' }]) {
    const replies = [await turn('One.', 'k1', context), await turn('One.', 'k1', context)]
    expect(replies.map(summaryOf)).toEqual(Array(2).fill([200, ['One.']]))
    const [first, again] = replies.map(({ body }) => body.response.extensions)
    expect(first).toEqual(again)
    expect(summaryOf(await turn('Two.', 'k1', context))).toEqual([409, 'request_id_conflict'])
  }
  const id = sessionOf(await turn('One.', 'k1'))
  expect((await get(`/sessions/${id}`)).body.messages).toHaveLength(2)
  expect(sessionOf(await turn('One.', 'k2'))).not.toBe(id)
})

test('[OH142] engine_timeout is retryable only where the same request gets its answer', async () => {
  const { send } = testEngine({ openharness: { waitMs: 1 } }, { waiter: waitingRunner() })
  const turn = (session_id: string, more: object) =>
    send(messageOf({ session_id, user_intent: 'go', task_hint: { plugin_id: 'waiter' } }, more))
  const replies = [
    await turn('a', { request_id: 'one' }),
    await turn('b', {}),
    await turn('c', { request_id: '' }),
    await turn('a', { request_id: 'one' }),
  ]
  expect(replies.map((reply) => [...summaryOf(reply), reply.body.response.error?.retryable])).toEqual([
    [504, 'engine_timeout', true],
    [504, 'engine_timeout', false],
    [504, 'engine_timeout', false],
    [504, 'engine_timeout', true],
  ])
  expect(replies.map(({ headers }) => headers.get('retry-after'))).toEqual(['1', null, null, '1'])
})
