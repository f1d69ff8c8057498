// Procedures, asked for and answered by a shell.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { sop } from '../../agents/sop.ts'
import { nativeRunner } from '../../runners/in-process/native.ts'
import { type EngineReply, messageOf, summaryOf, testEngine } from './engine.suite.ts'

const form = { action_type: 'render_ui', payload: { component: 'Form' } }
const definition = sop({
  id: 'onboard',
  steps: [
    { id: 'hello', say: 'Welcome.' },
    { id: 'form', directive: form },
    { id: 'name', ask: 'Your name?' },
    { id: 'thanks', say: ({ name }) => `Thank you, ${name}.` },
  ],
})
const digest = async (text: string) => createHash('sha256').update(text).digest('hex')
const clock = {
  now: () => 1_700_000_000_000,
  after: (ms: number, call: () => void) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
const directives = ({ body }: EngineReply) => body.response.action_directives ?? []
const task_hint = { sop_id: 'onboard' }
const capabilities = { 'openharness.ui.rich_cards': true }

test('[OH43] sop_id starts a procedure, and the text beside the token of a question is its answer', async () => {
  const { send } = testEngine({}, { onboard: nativeRunner(definition, { clock, digest }) })
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

test('[OH43] a procedure that nobody has defined stays a hint', async () => {
  const { send, get } = testEngine()
  expect((await send(messageOf({ session_id: 's', user_intent: '@script []', task_hint }))).status).toBe(200)
  expect((await get('/sessions/s')).body.agent).toBe('scripted')
})
