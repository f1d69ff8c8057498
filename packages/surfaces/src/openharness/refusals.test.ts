// The words of refusals: each names the field that is wrong, wherever it stands, and quotes nothing of the caller.
import { describe, expect, test } from 'vitest'
import { turnEvents, writtenFile } from '../http/history/written-files.suite.ts'
import { bearer } from '../http/test-client.suite.ts'
import { messageOf, script, summaryOf, testEngine } from './engine.suite.ts'

const hello = script({ text: 'Hello.' })
const inTenant = (tenant_id?: string) =>
  messageOf({ user_intent: hello }, {}, { auth: { ...(tenant_id && { tenant_id }) } })

describe('[OH140] the field of a wrong tenant or key is the one that has it', () => {
  const tokens = [{ token: 'any' }]
  test.each<[string, object, Record<string, string>, string, string]>([
    ['in the message', inTenant('a/b'), {}, '', 'auth.tenant_id'],
    ['missing', inTenant(), {}, '', 'auth.tenant_id'],
    ['in the header', inTenant(), { 'x-fabric-tenant': 'a/b' }, '', 'x-fabric-tenant'],
    ['in the address', inTenant(), {}, '?tenant=a%2Fb', 'tenant'],
    ['a key that is no id', inTenant('a'), { 'idempotency-key': 'a b' }, '', 'idempotency-key'],
  ])('%s', async (_name, message, headers, query, field) => {
    const { send } = testEngine({ tokens, tenantRequired: true })
    const reply = await send(message, { ...bearer('any'), ...headers }, `/v1/openharness${query}`)
    expect([summaryOf(reply), reply.body.response.error?.details]).toEqual([[400, 'invalid_request'], { field }])
  })
})

test('[OH8] an encoding of the caller is not quoted', async () => {
  const { body } = await testEngine().send(inTenant(), { 'content-encoding': 'canary' })
  expect(JSON.stringify(body)).not.toContain('canary')
})

test('[OH8] the message says what is expected, in words', async () => {
  const { send } = testEngine()
  const messageFor = async (context: object) =>
    (await send(messageOf({ user_intent: hello, ...context }))).body.response.error?.message
  expect([
    await messageFor({ shell: { shell_kind: '' } }),
    await messageFor({ environment_state: { privacy_tier: 'odd' } }),
    await messageFor({ attachments: [{ asset_id: 'a', size_bytes: 1.5 }] }),
    await messageFor({ attachments: [{ asset_id: 'a', size_bytes: -1 }] }),
    await messageFor({ session_id: 7 }),
    await messageFor({ shell: [] }),
  ]).toEqual([
    'context.shell.shell_kind: Expected a text that is not empty.',
    'context.environment_state.privacy_tier: Expected "public", "restricted" or "secret".',
    'context.attachments.0.size_bytes: Expected a whole number.',
    'context.attachments.0.size_bytes: Expected 0 or more.',
    'context.session_id: Expected a text.',
    'context.shell: Expected an object.',
  ])
})

test('[OH16] too many requests, and a server that stops, are envelopes that say when to ask again', async () => {
  const { send } = testEngine({ rateLimit: { windowMs: 60_000, maxRequests: 2 } })
  const replies = [await send(inTenant()), await send(inTenant()), await send(inTenant())]
  expect(replies.map((reply) => summaryOf(reply)[0])).toEqual([200, 200, 429])
  const stopping = await testEngine({ isStopping: () => true }).send(inTenant())
  expect([replies[2], stopping].map((reply) => reply?.body.response.error)).toMatchObject([
    { code: 'rate_limited', retryable: true },
    { code: 'engine_unavailable', retryable: true },
  ])
  for (const reply of [replies[2], stopping]) expect(Number(reply?.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('[OH8] fifty thousand levels of nesting, in every place', async () => {
  const { send } = testEngine()
  const deep = ['[', ']'].map((bracket) => bracket.repeat(50_000)).join('')
  const places = [
    (value: string) => `"request":{"context":{"user_intent":"x","extensions":{"a":${value}}}}`,
    (value: string) =>
      `"request":{"context":{"user_intent":"x","environment_state":{"privacy_tier":"secret","a":${value}}}}`,
    (value: string) => `"request":{"auth":${value}}`,
    (value: string) => `"request_id":${value},"request":{}`,
    (value: string) => `"unknown":${value},"request":{}`,
  ]
  for (const place of places) {
    const reply = await send(`{"protocol_version":"1.0.0",${place(deep)}}`)
    expect([summaryOf(reply), reply.body.response.error?.details]).toEqual([
      [400, 'invalid_request'],
      { field: 'body' },
    ])
  }
})

test('[OH6] an id that is too long for a header is in the body alone', async () => {
  const ids = { request_id: 'r'.repeat(201), correlation_id: 'c'.repeat(200) }
  const { body, headers } = await testEngine().send(messageOf({ user_intent: hello }, ids))
  expect(body).toMatchObject(ids)
  expect([headers.get('x-request-id'), headers.get('x-correlation-id')]).toEqual([null, ids.correlation_id])
})

test('[OH22] a ticket for a conversation that is not there yet does not open the session that it would branch', async () => {
  const { send, post, get } = testEngine({ tokens: [{ token: 'any' }] })
  await send(messageOf({ session_id: 's', user_intent: hello }), bearer('any'))
  const { ticket } = (await post('/tickets', { sessionId: 's:c' }, bearer('any'))).body
  const turn = messageOf({ session_id: 's', conversation_id: 'c', user_intent: hello })
  expect(summaryOf(await send(turn, {}, `/v1/openharness?ticket=${ticket}`))).toEqual([404, 'not_found'])
  expect((await get('/sessions/s:c', bearer('any'))).status).toBe(404)
})

test('[X71] a conversation of an imported line is not branched, and the line itself takes a prompt', async () => {
  const { send, post, get } = testEngine()
  await post('/import', writtenFile({ id: 's', events: turnEvents(2, 'rm -rf ~') }))
  const turn = (more: object) => send(messageOf({ session_id: 's', user_intent: hello, ...more }))
  const refused = await turn({ conversation_id: 'c' })
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([409, expect.stringMatching(/imported from a file/)])
  expect((await get('/sessions')).body.sessions).toHaveLength(1)
  expect((await turn({})).status).toBe(200)
})
