// Continuations without a token: a run or a procedure by its name.
import { expect, test } from 'vitest'
import { type EngineReply, messageOf, script, summaryOf, testEngine } from './engine.suite.ts'
import { onboard, payment } from './procedure.suite.ts'

const directives = ({ body }: EngineReply) => body.response.action_directives ?? []
const asking = script({ approve: 'write', args: {} }, { text: 'Written.' })
const runOf = ({ body }: EngineReply) =>
  (body.response.extensions as { 'dev.bridle': { run_id: string } })['dev.bridle'].run_id
const expired = [410, 'continuation_expired']

test('[OH143] a run_id alone says how its run stands, and an unknown one is continuation_expired', async () => {
  const { send, get } = testEngine({}, { onboard, pay: payment })
  const turn = (session_id: string, context: object) => send(messageOf({ session_id, ...context }))
  for (const id of ['s1', 's2', 's3']) {
    const done = await turn(id, { user_intent: script({ text: 'Done.' }) })
    const asked = await turn(id, { user_intent: asking })
    const run_id = runOf(asked)
    expect(directives(await turn(id, { continuation: { run_id } }))).toEqual(directives(asked))
    expect(summaryOf(await turn(id, { continuation: { run_id: runOf(done) } }))).toEqual([200, ['Done.']])
    for (const unknown of ['r-99', 'r-1', 'run_7d2', 'r-']) {
      expect(summaryOf(await turn(id, { continuation: { run_id: unknown } }))).toEqual(expired)
      // Nothing begins under the name of a run that is not there.
      expect(summaryOf(await turn(id, { continuation: { run_id: unknown }, user_intent: 'Go on.' }))).toEqual(expired)
    }
    expect(summaryOf(await turn('elsewhere', { continuation: { run_id } }))).toEqual(expired)
    expect((await get(`/sessions/${id}`)).body.messages).toHaveLength(4)
    // The token knows its run.
    const { continuation_token } = directives(asked)[0]?.payload ?? {}
    const status = await turn(id, { continuation: { run_id: 'r-99', continuation_token } })
    expect(directives(status)).toEqual(directives(asked))
  }
})

test('[OH143] a sop_id says which procedure is meant, and the intent beside it is its answer', async () => {
  const { send } = testEngine({}, { onboard, pay: payment })
  const turn = (context: object) => send(messageOf({ session_id: 's', ...context }))
  await turn({ user_intent: script({ text: 'Hello.' }) })
  expect(summaryOf(await turn({ continuation: { sop_id: 'onboard' } }))).toEqual(expired)
  const started = await turn({ task_hint: { sop_id: 'onboard' } })
  const run_id = runOf(started)
  for (const continuation of [{ sop_id: 'onboard' }, { sop_id: 'onboard', run_id }])
    expect(directives(await turn({ continuation }))).toEqual(directives(started))
  expect(summaryOf(await turn({ continuation: { sop_id: 'pay', run_id } }))).toEqual(expired)
  const answered = await turn({ continuation: { sop_id: 'onboard', run_id }, user_intent: 'Ann' })
  expect(summaryOf(answered)).toEqual([200, ['Thank you, Ann.']])
  expect(summaryOf(await turn({ continuation: { sop_id: 'onboard' } }))).toEqual(expired)
  expect(directives(await turn({ continuation: { sop_id: 'onboard', run_id } })).at(-1)).toMatchObject({
    payload: { text: 'Thank you, Ann.' },
  })
  // A workflow that is none of this server's is a hint of the shell.
  const foreign = { continuation: { sop_id: 'sop_onboard' }, user_intent: script({ text: 'Fine.' }) }
  expect(summaryOf(await turn(foreign))).toEqual([200, ['Fine.']])
})
