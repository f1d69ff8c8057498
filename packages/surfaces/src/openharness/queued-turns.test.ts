// A turn that waits behind a question: its shell learns the question, and does not wait in silence.
import { expect, test } from 'vitest'
import { type EngineReply, messageOf, script, summaryOf, testEngine } from './engine.suite.ts'

const questionsOf = ({ body }: EngineReply) =>
  (body.response.action_directives ?? [])
    .filter(({ action_type }) => action_type === 'request_approval')
    .map(({ payload }) => payload as unknown as { run_id: string; options: { continuation_token: string }[] })

test('[OH144] a request behind a question gets the question at once, and its own answer later', async () => {
  const { send } = testEngine()
  const asking = script({ approve: 'write', args: {} }, { text: 'Written.' })
  const turn = (session_id: string, request_id: string, user_intent: string) =>
    send(messageOf({ session_id, user_intent }, { request_id }))
  for (const id of ['a', 'b', 'c']) {
    const asked = await turn(id, 'ask', asking)
    const second = () => turn(id, 'second', script({ text: 'Second.' }))
    const third = () => turn(id, 'third', script({ text: 'Third.' }))
    for (const waiting of [await second(), await third(), await second()]) {
      expect(waiting.status).toBe(200)
      expect(waiting.body.response.action_directives).toEqual(asked.body.response.action_directives)
    }
    const continuation_token = questionsOf(await second())[0]?.options[0]?.continuation_token
    const goOn = messageOf({ session_id: id, continuation: { continuation_token } }, { request_id: 'yes' })
    expect(summaryOf(await send(goOn))).toEqual([200, ['Written.']])
    expect([summaryOf(await second()), summaryOf(await third())]).toEqual([
      [200, ['Second.']],
      [200, ['Third.']],
    ])
  }
})
