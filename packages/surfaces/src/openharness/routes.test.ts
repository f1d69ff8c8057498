// The routes of OpenHarness, asked through a whole app.
import { readFileSync } from 'node:fs'
import { responseMessage } from '@bridle/wire/openharness/wire/messages'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { bearer } from '../http/test-client.suite.ts'
import { waitingRunner } from '../http/waiting-runner.suite.ts'
import { messageSchema } from './definitions.ts'
import { JSON_TYPE, messageOf, script, summaryOf, testEngine } from './engine.suite.ts'
import { engineErrors } from './errors.ts'

const hello = script({ text: 'Hello.' })

test('[OH1] the schema is published', async () => {
  const { status, body } = await testEngine().get('/v1/openharness/schema')
  expect([status, body]).toEqual([200, messageSchema()])
})

describe('[OH5] versions', () => {
  const { send } = testEngine()
  test.each([
    ['1.0.0', 200, undefined],
    ['1.7.3-beta+5', 200, undefined],
    ['01.0.0', 200, undefined],
    ['2.0.0', 400, 'protocol_version_unsupported'],
    ['0.9.0', 400, 'protocol_version_unsupported'],
    ['10.0.0', 400, 'protocol_version_unsupported'],
    ['1.0', 400, 'invalid_request'],
  ])('%s gets %i', async (protocol_version, status, code) => {
    const reply = await send(messageOf({ session_id: 'v', user_intent: hello }, { protocol_version }))
    expect([reply.status, reply.body.response.error?.code]).toEqual([status, code])
    expect([reply.body.protocol_version, reply.body.supported_protocol_versions]).toEqual(['1.0.0', ['1.0.0']])
  })
  test('another major line is told before anything else that is wrong', async () => {
    expect(summaryOf(await send({ protocol_version: '2.0.0', request: 7 }))).toEqual([
      400,
      'protocol_version_unsupported',
    ])
  })
})

test('[OH6] ids are echoed in the body and in headers, also where the rest is wrong; an empty one counts as absent', async () => {
  const logged: string[] = []
  const { send } = testEngine({ onRequest: ({ correlationId }) => logged.push(correlationId) })
  const ids = { request_id: 'req-1', correlation_id: 'corr-1' }
  const good = await send(messageOf({ session_id: 'e', user_intent: hello }, ids))
  const bad = await send({ ...ids, protocol_version: '1.0.0', request: [] })
  for (const { body, headers } of [good, bad]) {
    expect(body).toMatchObject(ids)
    expect([headers.get('x-request-id'), headers.get('x-correlation-id')]).toEqual(['req-1', 'corr-1'])
  }
  expect(logged).toEqual(['corr-1', 'corr-1'])
  const empty = await send(messageOf({ user_intent: hello }, { request_id: '', correlation_id: '' }))
  expect([empty.status, 'request_id' in empty.body, 'correlation_id' in empty.body]).toEqual([200, false, false])
  const odd = await send(messageOf({ user_intent: hello }, { request_id: 'ä\n', correlation_id: 'x y' }))
  expect([odd.status, odd.body.request_id, odd.body.correlation_id]).toEqual([200, 'ä\n', 'x y'])
  expect(odd.headers.get('x-request-id')).toBeNull()
})

test('[OH7] a known capability that is not there is denied, an unknown one ignored, and the request succeeds', async () => {
  const capabilities = {
    'openharness.actions.parallel': true,
    'openharness.attachments.upload': true,
    'openharness.ui.rich_cards': false,
    'com.example.x': true,
  }
  const ask = messageOf({ session_id: 'c', user_intent: hello }, { capabilities })
  const wrong = messageOf({ session_id: 'c' }, { capabilities })
  const denied = ['openharness.attachments.upload', 'not_supported']
  // A server that stores no files has no uploads, and says so with its errors, too.
  for (const [options, denials] of [
    [{}, []],
    [{ uploads: undefined }, [denied]],
  ] as const) {
    const { send } = testEngine(options as object)
    const replies = [await send(ask), await send(wrong)]
    expect(replies.map(({ status }) => status)).toEqual([200, 400])
    for (const { body } of replies) {
      expect(body.capability_denials?.map(({ capability, code }) => [capability, code])).toEqual(denials)
      expect(Object.hasOwn(body.supported_capabilities ?? {}, 'openharness.attachments.upload')).toBe(
        denials.length === 0,
      )
    }
  }
})

describe('[OH8] whatever is wrong with a request, it gets a whole envelope with a field', () => {
  const { send, ask, app } = testEngine({ maxBodyBytes: 20_000 })
  const deep = (levels: number) =>
    `{"protocol_version":"1.0.0","request":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`
  const inContext = (context: object) => messageOf({ session_id: 'w', user_intent: hello, ...context })
  test.each<[string, unknown, number, string]>([
    ['no JSON', 'nonsense', 400, 'body'],
    ['half of a message', '{"protocol_version":', 400, 'body'],
    ['an array', '[]', 400, 'body'],
    ['null', 'null', 400, 'body'],
    ['nothing', '', 400, 'protocol_version'],
    ['deep nesting', deep(3_000), 400, 'body'],
    ['a large body', JSON.stringify({ x: 'x'.repeat(30_000) }), 413, 'body'],
    ['a key twice', '{"protocol_version":"1.0.0","request":{},"request":{}}', 400, 'body'],
    ['no version', { request: {} }, 400, 'protocol_version'],
    ['a bad version', { protocol_version: 'v1', request: {} }, 400, 'protocol_version'],
    ['no request', { protocol_version: '1.0.0' }, 400, 'request'],
    ['null for the request', { protocol_version: '1.0.0', request: null }, 400, 'request'],
    ['an array for it', { protocol_version: '1.0.0', request: [] }, 400, 'request'],
    ['a response beside it', messageOf({}, { response: { status: 'success' } }), 400, 'response'],
    ['a number for an id', messageOf({}, { request_id: 7 }), 400, 'request_id'],
    ['null for an id', messageOf({}, { request_id: null }), 400, 'request_id'],
    ['no context', messageOf({}, { request: {} }), 400, 'context.user_intent'],
    ['no intent', messageOf({ session_id: 'w' }), 400, 'context.user_intent'],
    ['an empty intent', inContext({ user_intent: '' }), 400, 'context.user_intent'],
    ['a structured intent', inContext({ user_intent: {} }), 400, 'context.user_intent'],
    ['null for the shell', inContext({ shell: null }), 400, 'context.shell'],
    [
      'an unlisted tier',
      inContext({ environment_state: { privacy_tier: 'odd' } }),
      400,
      'context.environment_state.privacy_tier',
    ],
    [
      'a bad attachment',
      inContext({ attachments: [{}, { size_bytes: 'x' }] }),
      400,
      'context.attachments.1.size_bytes',
    ],
    ['an agent that nobody has', inContext({ task_hint: { plugin_id: 'none' } }), 400, 'context.task_hint.plugin_id'],
  ])('%s', async (_name, message, status, field) => {
    const reply = await send(message)
    expect([reply.status, reply.body.response.error]).toMatchObject([
      status,
      { code: 'invalid_request', retryable: false, details: { field } },
    ])
    expect(v.is(responseMessage, reply.body)).toBe(true)
    expect(reply.headers.get('content-type')).toBe('application/json')
  })

  test('another content type, an encoding, and other methods', async () => {
    const message = messageOf({ user_intent: hello })
    const html = await send(message, { 'content-type': 'text/html' })
    const packed = await send(message, { 'content-encoding': 'gzip' })
    const replies = [
      [html.status, html.body.response.error?.details],
      [packed.status, packed.body.response.error?.details],
    ]
    for (const method of ['GET', 'DELETE', 'PUT'])
      for (const path of ['/v1/openharness', '/openharness']) {
        const { status, body, headers } = await ask(method, path, undefined, { accept: 'text/html' })
        expect(headers.get('allow')).toBe('OPTIONS, POST')
        expect(v.is(responseMessage, body)).toBe(true)
        replies.push([
          status,
          (body as { response?: { error?: { details?: object } } }).response?.error?.details as never,
        ])
      }
    expect(replies).toEqual([
      [415, { field: 'content-type' }],
      [415, { field: 'content-encoding' }],
      ...Array(6).fill([405, { field: 'method' }]),
    ])
  })

  test('bytes that are no text', async () => {
    const init = { method: 'POST', headers: JSON_TYPE, body: new Uint8Array([0x7b, 0xff, 0x7d]) }
    const answer = await app.fetch(new Request('http://127.0.0.1/v1/openharness', init))
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { response: { error: { code: 'invalid_request' } } },
    ])
  })
})

test('[OH9] access is refused in envelopes, too, without anything of the request or its credential in them', async () => {
  const { send } = testEngine({ tokens: [{ token: 'right' }, { token: 'reader', scopes: ['observe'] }] })
  const message = messageOf({ user_intent: 'canary-intent' }, { request_id: 'canary-id' })
  const none = await send(message)
  const wrong = await send(message, bearer('canary-token'))
  const reader = await send(message, bearer('reader'))
  expect([none, wrong, reader].map(summaryOf)).toEqual([
    [401, 'unauthorized'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
  ])
  expect(JSON.stringify([none, wrong, reader])).not.toContain('canary')
})

describe('[OH10] auth.tenant_id chooses among the tenants of the credential', () => {
  const tokens = [{ token: 'two', tenants: ['a', 'b'] }, { token: 'any' }]
  const turn = (tenant_id: string) => messageOf({ session_id: 't', user_intent: hello }, {}, { auth: { tenant_id } })
  const tenant = { 'x-fabric-tenant': 'a' }
  test.each<[string, string, string, Record<string, string>, number, string | null]>([
    ['the default of the credential', 'two', '', {}, 200, 'a'],
    ['another of its tenants', 'two', 'b', {}, 200, 'b'],
    ['a foreign one', 'two', 'c', {}, 403, null],
    ['the same as the header', 'two', 'a', tenant, 200, 'a'],
    ['another than the header', 'two', 'b', tenant, 403, null],
    ['any, with a plain token', 'any', 'z', {}, 200, 'z'],
    ['no id', 'any', 'a/b', {}, 400, null],
  ])('%s', async (_name, token, tenantId, headers, status, owner) => {
    const { send, host } = testEngine({ tokens, tenantRequired: token === 'any' })
    expect((await send(turn(tenantId), { ...bearer(token), ...headers })).status).toBe(status)
    for (const each of ['a', 'b', 'c', 'z', 'default'])
      expect([each, (await host.find({ tenant: each, agent: 'scripted', id: 't' })) !== null]).toEqual([
        each,
        each === owner,
      ])
  })

  test('a ticket is for its own tenant', async () => {
    const { send, post } = testEngine({ tokens })
    const ticket = async () => (await post('/tickets?tenant=b', {}, bearer('two'))).body.ticket
    expect((await send(turn('a'), {}, `/v1/openharness?ticket=${await ticket()}`)).status).toBe(403)
    expect((await send(turn('b'), {}, `/v1/openharness?ticket=${await ticket()}`)).status).toBe(200)
  })
})

describe('[OH11] sessions', () => {
  const sessionOf = ({ headers, body }: Awaited<ReturnType<ReturnType<typeof testEngine>['send']>>) => {
    const { extensions } = body.response
    expect(extensions).toMatchObject({ 'dev.bridle': { session_id: headers.get('x-bridle-session') } })
    return headers.get('x-bridle-session') as string
  }
  test('the one that is named, hashed where it is no id of ours', async () => {
    const { send, get } = testEngine()
    const ids: string[] = []
    for (const session_id of ['sess-1', 'sess-2', 'Sitzung № 1', 'x'.repeat(500), 'sess-1'])
      ids.push(sessionOf(await send(messageOf({ session_id, user_intent: hello }))))
    expect(ids).toEqual([
      'sess-1',
      'sess-2',
      expect.stringMatching(/^oh-\w{32}$/),
      expect.stringMatching(/^oh-\w{32}$/),
      'sess-1',
    ])
    expect(new Set(ids).size).toBe(4)
    // Both turns are in the session that every other wire shows.
    expect((await get('/sessions/sess-1')).body.messages).toHaveLength(4)
  })
  test('else the one that is made from request_id, else a new one', async () => {
    const { send } = testEngine()
    const turn = async (more: object) => sessionOf(await send(messageOf({ user_intent: hello }, more)))
    const [one, again, other] = [
      await turn({ request_id: 'r1' }),
      await turn({ request_id: 'r1' }),
      await turn({ request_id: 'r2' }),
    ]
    const fresh = [await turn({}), await turn({})]
    expect([one === again, one === other, new Set(fresh).size]).toEqual([true, false, 2])
  })
  test('users who choose the same ids have different sessions, and none opens another’s', async () => {
    const tokens = ['ann', 'bob'].map((user) => ({ token: user, user }))
    const { send } = testEngine({ tokens })
    const turn = (token: string, session_id?: string) =>
      send(messageOf({ ...(session_id && { session_id }), user_intent: hello }, { request_id: 'same' }), bearer(token))
    expect(sessionOf(await turn('ann'))).not.toBe(sessionOf(await turn('bob')))
    expect(summaryOf(await turn('ann', 'hers'))).toEqual([200, ['Hello.']])
    expect([await turn('bob', 'hers'), await turn('bob', 'user:ann')].map(summaryOf)).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ])
  })
})

describe('[OH22] conversations', () => {
  const engine = () => {
    const app = testEngine()
    const turn = async (session_id: string, conversation_id: string | null, text: string, headers = {}) => {
      const context = { session_id, ...(conversation_id && { conversation_id }), user_intent: script({ text }) }
      const reply = await app.send(messageOf(context), headers)
      expect(reply.status).toBe(200)
      return reply.headers.get('x-bridle-session') as string
    }
    const said = async (id: string) =>
      ((await app.get(`/sessions/${id}`)).body.messages as { role: string; content: string }[])
        .filter(({ role }) => role === 'assistant')
        .map(({ content }) => content)
    return { ...app, turn, said }
  }

  test('branch the session at its head, and go their own ways', async () => {
    const { turn, said } = engine()
    await turn('s', null, 'One.')
    expect([await turn('s', 'a', 'Two a.'), await turn('s', 'b', 'Two b.'), await turn('s', null, 'Two.')]).toEqual([
      's:a',
      's:b',
      's',
    ])
    await turn('s', 'a', 'Three a.')
    expect([await said('s'), await said('s:a'), await said('s:b')]).toEqual([
      ['One.', 'Two.'],
      ['One.', 'Two a.', 'Three a.'],
      ['One.', 'Two b.'],
    ])
  })

  test('are fresh where the session is not there yet, and stay so', async () => {
    const { turn, said } = engine()
    await turn('new', 'a', 'First.')
    await turn('new', null, 'Other.')
    await turn('new', 'a', 'Second.')
    expect([await said('new'), await said('new:a')]).toEqual([['Other.'], ['First.', 'Second.']])
  })

  test('have ids that two pairs never share', async () => {
    const { turn } = engine()
    const ids = [
      await turn('x', 'a b', '1.'),
      await turn('x', 'y:z', '2.'),
      await turn('x:y', 'z', '3.'),
      await turn('x', 'c'.repeat(300), '4.'),
      await turn('x'.repeat(120), 'long-enough', '5.'),
    ]
    expect(ids).toEqual([
      expect.stringMatching(/^x:oh-\w{32}$/),
      expect.stringMatching(/^x:oh-\w{32}$/),
      'x:y:z',
      expect.stringMatching(/^x:oh-\w{32}$/),
      expect.stringMatching(/^oh-\w{32}$/),
    ])
    expect(new Set(ids).size).toBe(5)
  })

  test('of a user are the user’s own', async () => {
    const tokens = ['ann', 'bob'].map((user) => ({ token: user, user }))
    const { send } = testEngine({ tokens })
    const turn = (token: string, session_id: string) =>
      send(messageOf({ session_id, conversation_id: 'c', user_intent: hello }), bearer(token))
    await send(messageOf({ session_id: 'user:ann', user_intent: hello }), bearer('ann'))
    await send(messageOf({ session_id: 'hers', user_intent: hello }), bearer('ann'))
    expect([await turn('bob', 'user:ann'), await turn('bob', 'hers')].map(summaryOf)).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ])
    expect(
      [await turn('ann', 'user:ann'), await turn('ann', 'hers'), await turn('ann', 'user:ann')].map(summaryOf),
    ).toEqual(Array(3).fill([200, ['Hello.']]))
    expect(summaryOf(await turn('bob', 'hers'))).toEqual([404, 'not_found'])
  })
})

test('[OH12] request_id makes a repeated request harmless; with another body it is a conflict', async () => {
  const { send, get } = testEngine()
  const turn = (session_id: string, text: string, correlation_id: string) =>
    send(messageOf({ session_id, user_intent: script({ text }) }, { request_id: 'one', correlation_id }))
  const first = await turn('i', 'First.', 'c1')
  const again = await turn('i', 'First.', 'c2')
  expect([summaryOf(first), summaryOf(again)]).toEqual([
    [200, ['First.']],
    [200, ['First.']],
  ])
  expect(again.body.response.extensions).toEqual(first.body.response.extensions)
  expect(summaryOf(await turn('i', 'Second.', 'c3'))).toEqual([409, 'request_id_conflict'])
  expect(summaryOf(await turn('j', 'Second.', 'c4'))).toEqual([200, ['Second.']])
  expect((await get('/sessions/i')).body.messages).toHaveLength(2)
})

test('[OH13] plugin_id names the agent, none means the line’s; another one speaks beside it', async () => {
  const { send, get } = testEngine()
  const turn = (session_id: string, task_hint?: object) =>
    send(messageOf({ session_id, user_intent: hello, ...(task_hint && { task_hint }) }))
  await turn('p', { plugin_id: 'hooked', business_key: 'deal_42' })
  await turn('q')
  expect([(await get('/sessions/p')).body.agent, (await get('/sessions/q')).body.agent]).toEqual(['hooked', 'scripted'])
  expect(summaryOf(await turn('p'))).toEqual([200, ['Hello.']])
  const beside = await turn('p', { plugin_id: 'scripted' })
  expect([summaryOf(beside), beside.headers.get('x-bridle-session')]).toEqual([[200, ['Hello.']], 'p:scripted'])
  expect(summaryOf(await turn('k', { plugin_id: 'keyless' }))).toEqual([503, 'engine_unavailable'])
})

test('[OH14] the text of a run is one render_message; a failed run is engine_error, and says no more than its reason', async () => {
  const { send } = testEngine()
  const said = await send(messageOf({ session_id: 'd', user_intent: script({ text: 'One. ' }, { text: 'Two.' }) }))
  expect(said.body.response).toMatchObject({
    status: 'success',
    engine_latency_ms: expect.any(Number),
    action_directives: [{ action_type: 'render_message', payload: { text: 'One. Two.' } }],
  })
  const failed = await send(messageOf({ session_id: 'f', user_intent: script({ fail: 'canary-fault' }) }))
  expect(summaryOf(failed)).toEqual([500, 'engine_error'])
  expect(JSON.stringify(failed)).not.toContain('canary')
})

test('[OH15] a run that takes too long is engine_timeout; it goes on, and the same request gets its answer', async () => {
  const { send, post } = testEngine({ openharness: { waitMs: 1 } }, { waiter: waitingRunner() })
  const turn = () =>
    send(
      messageOf({ session_id: 'slow', user_intent: 'go', task_hint: { plugin_id: 'waiter' } }, { request_id: 'slow' }),
    )
  const late = await turn()
  expect([summaryOf(late), late.body.response.error?.retryable]).toEqual([[504, 'engine_timeout'], true])
  expect(late.headers.get('x-bridle-session')).toBe('slow')
  expect((await post('/sessions/slow/signal', { name: 'go', payload: 'Done.' })).status).toBe(200)
  await expect.poll(async () => summaryOf(await turn())).toEqual([200, ['["Done."]']])
})

test('[OH16] the table of errors in the document is that of the engine', () => {
  const page = readFileSync(new URL('../../../../docs/protocol/openharness.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+)[^|]*\| (yes|no) \|/gm)].map(([, code, status, retryable]) => [
    code,
    { status: Number(status), retryable: retryable === 'yes' },
  ])
  const table = Object.entries(engineErrors).map(([code, { status, retryable }]) => [code, { status, retryable }])
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(table))
})
