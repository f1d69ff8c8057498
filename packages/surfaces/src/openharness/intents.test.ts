// Requests without an intent, and requests that are tried again from a device that has changed.

import { canonicalJson, hashText } from '@bridle/events/json'
import { expect, test } from 'vitest'
import { keptFields } from './agent-input.ts'
import { type EngineReply, messageOf, script, summaryOf, testEngine } from './engine.suite.ts'
import { greet, onboard } from './procedure.suite.ts'

const promptOf = async ({ host }: ReturnType<typeof testEngine>, agent: string, id: string) => {
  const session = await host.find({ tenant: 'default', agent, id })
  const prompt = (await session?.read(0, 1_000))?.find(({ type }) => type === 'prompt_queued')
  return prompt?.payload as { text: string; input?: { openharness?: { environment_state?: object } } }
}

test('[OH146] a procedure starts without an intent, as often as it is asked for, and once for a request', async () => {
  const engine = testEngine({}, { greet, onboard })
  const start = (session_id: string, request_id: string, more: object = {}) =>
    engine.send(messageOf({ session_id, task_hint: { sop_id: 'greet' }, ...more }, { request_id }))
  for (const id of ['s1', 's2', 's3'])
    for (const more of [{}, { user_intent: '' }, { user_intent: ' ' }])
      for (const request of ['one', 'one', 'two'])
        expect(summaryOf(await start(id, `${request}-${JSON.stringify(more).length}`, more))).toEqual([
          200,
          ['Good day.'],
        ])
  expect((await engine.get('/sessions/s1')).body.messages).toHaveLength(12)
  expect((await promptOf(engine, 'greet', 's1')).text).toBe('greet')
  const plugin = { session_id: 'p', task_hint: { plugin_id: 'onboard' } }
  expect((await engine.send(messageOf(plugin))).status).toBe(200)
})

test('[OH146] attachments alone are a prompt; a request with nothing to say is refused, and starts nothing', async () => {
  const engine = testEngine()
  const attachments = [{ asset_id: 'a1', filename: 'report.pdf' }, { uri: 'https://example.com/b' }]
  expect((await engine.send(messageOf({ session_id: 'a', attachments }))).status).toBe(200)
  expect(await promptOf(engine, 'scripted', 'a')).toMatchObject({
    text: 'report.pdf, https://example.com/b',
    input: { openharness: { attachments } },
  })
  for (const context of [
    {},
    { user_intent: ' ' },
    { task_hint: { sop_id: 'unknown' } },
    { task_hint: { plugin_id: 'hooked' } },
  ]) {
    const { status, body } = await engine.send(messageOf({ session_id: 'n', ...context }))
    expect([status, body.response.error]).toMatchObject([
      400,
      { code: 'invalid_request', details: { field: 'context.user_intent' } },
    ])
  }
  expect((await engine.get('/sessions/n')).status).toBe(404)
})

const device = (level: number) => ({
  environment_state: { privacy_tier: 'public', battery: level },
  shell: { shell_kind: 'im_bot', shell_version: `1.${level}` },
})
const tell = (more: object, text = 'Once.') =>
  messageOf({ session_id: 's', user_intent: script({ text }), ...more }, { request_id: 'one' })

test('[OH12] a second try may come from a device and a shell that changed', async () => {
  const engine = testEngine()
  for (const more of [device(80), device(79), {}, { environment_state: { privacy_tier: 'secret' } }])
    expect(summaryOf(await engine.send(tell(more)))).toEqual([200, ['Once.']])
  expect(summaryOf(await engine.send(tell(device(80), 'Twice.')))).toEqual([409, 'request_id_conflict'])
  const hint = { task_hint: { business_key: 'deal_43' } }
  expect(summaryOf(await engine.send(tell({ ...device(80), ...hint })))).toEqual([409, 'request_id_conflict'])
  // The first try is what the agent has.
  expect((await promptOf(engine, 'scripted', 's')).input?.openharness?.environment_state).toMatchObject({ battery: 80 })
})

test('[OH12] a request that an earlier version took, which compared all of it, is still the same one', async () => {
  const engine = testEngine()
  const { request } = tell(device(80)) as { request: never }
  const kept = await keptFields({ ports: engine.app.ports, access: { tenant: 'default' } as never }, request)
  const id = { commandId: 'one', bodyHash: hashText(canonicalJson(kept)) }
  const key = { tenant: 'default', agent: 'scripted', id: 's' }
  await engine.host.send(key, { type: 'submit', prompt: script({ text: 'Once.' }) }, id)
  expect(summaryOf(await engine.send(tell(device(80))))).toEqual([200, ['Once.']])
  expect((await engine.get('/sessions/s')).body.messages).toHaveLength(2)
})

test('[OH12] the answer to a repeated request is the same but for the times that count from each answer', async () => {
  const engine = testEngine()
  const ask = () => engine.send(tell({}))
  const [first, second] = [await ask(), await ask()]
  const rest = ({ body }: EngineReply) => {
    const { engine_latency_ms: latency, ...response } = body.response
    expect(latency).toBeTypeOf('number')
    return { ...body, response }
  }
  expect(rest(second)).toEqual(rest(first))
})
