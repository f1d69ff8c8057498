// Procedures, asked for and answered by a shell.
import { expect, test } from 'vitest'
import { bearer } from '../http/test-client.suite.ts'
import { type EngineReply, messageOf, script, summaryOf, testEngine } from './engine.suite.ts'
import { form, onboard, payment } from './procedure.suite.ts'

interface Question {
  readonly payload: { readonly options: readonly { readonly id: string; readonly continuation_token: string }[] }
}
const directives = ({ body }: EngineReply) => body.response.action_directives ?? []
const task_hint = { sop_id: 'onboard' }
const capabilities = { 'openharness.ui.rich_cards': true }

test('[OH43] sop_id starts a procedure, and the text beside the token of a question is its answer', async () => {
  const { send } = testEngine({}, { onboard })
  const ids = ['s1', 's2', 's3']
  const questions = await Promise.all(
    ids.map((session_id) => send(messageOf({ session_id, user_intent: 'go', task_hint }, { capabilities }))),
  )
  for (const [index, question] of questions.entries()) {
    const [welcome, shown, ask] = directives(question)
    expect([welcome?.payload, shown]).toEqual([{ text: 'Welcome.' }, form])
    expect(ask).toMatchObject({ action_type: 'request_approval', payload: { message: 'Your name?' } })
    const { options } = (ask as unknown as { payload: { options: { continuation_token: string }[] } }).payload
    const goOn = (user_intent: string | undefined, request_id: string) =>
      send(
        messageOf(
          { ...(user_intent && { user_intent }), continuation: { continuation_token: options[0]?.continuation_token } },
          { request_id },
        ),
      )
    const empty = await goOn(undefined, 'a')
    expect(empty.body.response.error).toMatchObject({
      code: 'invalid_request',
      details: { field: 'context.user_intent' },
    })
    expect(summaryOf(await goOn(`user ${index}`, 'b'))).toEqual([200, [`Thank you, user ${index}.`]])
    expect(summaryOf(await goOn(`user ${index}`, 'b'))).toEqual([200, [`Thank you, user ${index}.`]])
    expect(summaryOf(await goOn('another', 'b'))).toEqual([409, 'continuation_used'])
  }
})

test('[OH132] the next message answers the question without a token, on this wire or another', async () => {
  const { send, post } = testEngine({}, { onboard })
  const say = (session_id: string, user_intent: string, request_id: string, more: object = {}) =>
    send(messageOf({ session_id, user_intent, ...more }, { request_id, capabilities }))
  await Promise.all(['s1', 's2', 's3'].map((id) => say(id, 'go', 'one', { task_hint })))
  const thanks = (name: string) => [200, [`Thank you, ${name}.`]]
  const [ann, bob] = await Promise.all([say('s1', 'Ann', 'two'), say('s2', 'Bob', 'two')])
  expect([ann, bob].map(summaryOf)).toEqual([thanks('Ann'), thanks('Bob')])
  // The same request again has the same answer, and begins nothing.
  expect(summaryOf(await say('s1', 'Ann', 'two'))).toEqual(thanks('Ann'))
  expect(summaryOf(await say('s1', 'Eve', 'two'))).toEqual([409, 'request_id_conflict'])
  expect((await post('/chat/sessions/s3/turns', { prompt: 'Cid' })).body).toMatchObject({ delivery: 'steered' })
  const first = directives(await say('s3', 'go', 'one', { task_hint }))
  expect(first.map(({ action_type, payload }) => payload?.text ?? action_type)).toEqual([
    'Welcome.',
    'render_ui',
    'Thank you, Cid.',
  ])
})

test('[OH132] a text needs no scope beside operate, and only the user whose session it is can give it', async () => {
  const tokens = [
    { token: 'ann', user: 'ann', scopes: ['operate' as const] },
    { token: 'bob', user: 'bob', scopes: ['operate' as const] },
  ]
  const { send } = testEngine({ tokens }, { onboard })
  const question = await send(messageOf({ session_id: 's1', user_intent: 'go', task_hint }), bearer('ann'))
  expect(directives(question).at(-1)?.payload?.options).toMatchObject([{ label: 'Answer' }, { label: 'Decline' }])
  const text = messageOf({ session_id: 's1', user_intent: 'Ann' })
  expect(summaryOf(await send(text, bearer('bob')))).toEqual([404, 'not_found'])
  expect(summaryOf(await send(text, bearer('ann')))).toEqual([200, ['Thank you, Ann.']])
})

test('[OH132] no text approves anything: the line’s own agent gets it', async () => {
  const { send, get } = testEngine({}, { pay: payment })
  const hint = { task_hint: { sop_id: 'pay' } }
  for (const session_id of ['s1', 's2', 's3']) {
    const question = directives(await send(messageOf({ session_id, user_intent: 'go', ...hint })))
    expect(question).toMatchObject([{ action_type: 'request_approval', payload: { tool: 'sure' } }])
    const said = await send(messageOf({ session_id, user_intent: script({ text: 'Ask me anything.' }) }))
    expect(summaryOf(said)).toEqual([200, ['Ask me anything.']])
    const { body } = await get(`/sessions/${session_id}`)
    expect([body.agent, body.approvals]).toMatchObject(['pay', { length: 1 }])
    const { options } = (question[0] as unknown as Question).payload
    const continuation_token = options.find(({ id }) => id === 'approve')?.continuation_token
    const paid = await send(messageOf({ session_id, continuation: { continuation_token } }))
    expect(summaryOf(paid)).toEqual([200, ['Paid.']])
  }
})

test('[OH43] a procedure that nobody has defined stays a hint', async () => {
  const { send, get } = testEngine()
  expect((await send(messageOf({ session_id: 's', user_intent: '@script []', task_hint }))).status).toBe(200)
  expect((await get('/sessions/s')).body.agent).toBe('scripted')
})
