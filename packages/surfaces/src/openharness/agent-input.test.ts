// The fields of a request that reach the agent and the log, and the ones that change nothing.
import { expect, test } from 'vitest'
import { messageOf, script, summaryOf, testEngine } from './engine.suite.ts'

const promptOf = async ({ host }: ReturnType<typeof testEngine>, id: string) => {
  const session = await host.find({ tenant: 'default', agent: 'scripted', id })
  const prompt = (await session?.read(0, 1_000))?.find(({ type }) => type === 'prompt_queued')
  return (prompt?.payload as { input?: { openharness?: unknown } } | undefined)?.input?.openharness
}

test('[OH13] hints, references and the extensions of both places reach the agent’s input as they are', async () => {
  const engine = testEngine()
  const task_hint = { sop_id: 'unknown_sop', business_key: 'deal_42', more: { 'com.example': [1] } }
  const attachments = [
    { asset_id: 'a1', filename: 'a.txt' },
    { uri: 'https://example.com/b.pdf', size_bytes: 7 },
  ]
  const inContext = { 'com.example': { foo: 1 }, 'https://example.com/x': [true, null] }
  const inRequest = { 'org.example': 'text' }
  const context = { session_id: 's', user_intent: script({ text: 'Fine.' }), task_hint, attachments }
  const reply = await engine.send(
    messageOf({ ...context, extensions: inContext }, {}, { extensions: inRequest, auth: { credential_ref: 'c' } }),
  )
  expect(summaryOf(reply)).toEqual([200, ['Fine.']])
  expect(await promptOf(engine, 's')).toEqual({
    task_hint,
    attachments,
    extensions: inContext,
    request_extensions: inRequest,
  })
})

test('[OH3] unknown fields and names of prototypes, at every level, change nothing', async () => {
  const engine = testEngine()
  const odd = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":null,"unknown":[{}]'
  const intent = JSON.stringify(script({ text: 'Fine.' }))
  const body = `{"protocol_version":"1.0.0","capabilities":{${odd}},"supported_protocol_versions":"x",${odd},
    "request":{"auth":{${odd}},${odd},"context":{"session_id":"s","user_intent":${intent},"shell":{${odd}},
    "continuation":{${odd}},"attachments":[{"asset_id":"a",${odd}}],"environment_state":{"privacy_tier":"secret",${odd}},${odd}}}}`
  expect(summaryOf(await engine.send(body))).toEqual([200, ['Fine.']])
  expect(await promptOf(engine, 's')).toEqual({ attachments: [{ asset_id: 'a' }], shell: {} })
  expect('polluted' in {}).toBe(false)
})

test('[OH14] a run that says and directs nothing is a success without directives', async () => {
  const { status, body } = await testEngine().send(messageOf({ user_intent: script() }))
  expect([status, body.response]).toMatchObject([200, { status: 'success', action_directives: [] }])
})
