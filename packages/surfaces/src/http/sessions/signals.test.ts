import { describe, expect, test, vi } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, collectFrames, type SseFrame, scriptBody } from '../test-client.suite.ts'
import { waitingRunner } from '../waiting-runner.suite.ts'

type TestApp = ReturnType<typeof testApp>
const start = (options: Parameters<typeof testApp>[0] = {}) =>
  testApp(options, { waiter: waitingRunner(), other: waitingRunner() })
const headers = (key: string) => ({ 'idempotency-key': key })
const begin = (it: TestApp, agent: string, id: string, prompt: string, more: Record<string, string> = {}) =>
  it.post(`/agents/${agent}/${id}`, { prompt }, { prefer: 'respond-async', ...more })
const result = async (it: TestApp, id: string, runId = 'r-2') => (await it.get(`/sessions/${id}/runs/${runId}`)).body
const signal = (it: TestApp, id: string, body: unknown, more?: Record<string, string>) =>
  it.post(`/sessions/${id}/signal`, body, more)

describe('[H58] POST /sessions/:id/signal', () => {
  test('three sessions of two agents get their signals, sent in another order than they wait for', async () => {
    const it = start()
    await begin(it, 'waiter', 'one', 'paid shipped')
    await begin(it, 'other', 'two', 'go')
    await begin(it, 'waiter', 'three', 'shipped paid')
    const shipped = await signal(it, 'one', { name: 'shipped', payload: { by: 'post' } })
    expect(shipped).toMatchObject({ status: 200, body: { sessionId: 'one', runId: 'r-2', health: { score: 100 } } })
    await signal(it, 'three', { name: 'paid', payload: [3] })
    await signal(it, 'two', { name: 'other-name', payload: 'not what it waits for' })
    await signal(it, 'three', { name: 'shipped' })
    await signal(it, 'one', { name: 'paid', payload: 12.5 })
    await signal(it, 'two', { name: 'go', payload: false })
    await vi.waitFor(async () => {
      expect(await result(it, 'one')).toMatchObject({ status: 'completed', result: [12.5, { by: 'post' }] })
      expect(await result(it, 'two')).toMatchObject({ status: 'completed', result: [false] })
      expect(await result(it, 'three')).toMatchObject({ status: 'completed', result: [null, [3]] })
    })
  })

  test('a signal that comes before the run waits, or starts, is kept for it', async () => {
    const gate = Promise.withResolvers<void>()
    const it = testApp({}, { waiter: waitingRunner(() => gate.promise) })
    await begin(it, 'waiter', 'early', 'a b')
    expect((await signal(it, 'early', { name: 'b', payload: 2 })).status).toBe(200)
    expect((await signal(it, 'early', { name: 'a', payload: 1 })).status).toBe(200)
    gate.resolve()
    await vi.waitFor(async () =>
      expect(await result(it, 'early')).toMatchObject({ status: 'completed', result: [1, 2] }),
    )
  })

  test('one Idempotency-Key is one signal, also when its run is over', async () => {
    const it = start()
    await begin(it, 'waiter', 's', 'a a')
    const body = { name: 'a', payload: { n: 1, m: [2] } }
    expect((await signal(it, 's', body, headers('k-1'))).body).toMatchObject({ runId: 'r-2' })
    expect((await signal(it, 's', { ...body, payload: { m: [2], n: 1 } }, headers('"k-1"'))).status).toBe(200)
    expect(await result(it, 's')).toMatchObject({ status: 'running' })
    for (const other of [{ name: 'a' }, { ...body, name: 'b' }, { ...body, actor: 'ann' }])
      expect((await signal(it, 's', other, headers('k-1'))).body).toMatchObject({ error: { type: 'conflict' } })
    await signal(it, 's', body, headers('k-2'))
    await vi.waitFor(async () => expect(await result(it, 's')).toMatchObject({ status: 'completed' }))
    await begin(it, 'waiter', 's', 'never')
    expect((await signal(it, 's', body, headers('k-1'))).body).toMatchObject({ runId: 'r-2' })
    expect((await it.get('/sessions/s/audit')).body.audit).toHaveLength(2)
  })

  test.each<[string, (it: TestApp) => Promise<unknown>, number, object]>([
    ['no session', async () => {}, 404, { error: 'Not found', message: 'There is no session s.' }],
    [
      'no run',
      async (it) => {
        await it.post('/agents/scripted/s', scriptBody({ text: 'done' }))
      },
      409,
      { error: { type: 'conflict', message: 'No run of the session takes signals now.' } },
    ],
    [
      'a run that is not durable',
      async (it) => {
        await begin(it, 'scripted', 's', scriptBody({ text: 'a' }, { sleepMs: 60_000 }).prompt)
        await vi.waitFor(async () => expect((await it.get('/sessions/s')).body.lastEventId).not.toBe('ev-5'))
      },
      409,
      { error: { type: 'conflict', message: 'No run of the session takes signals now.' } },
    ],
    [
      'a session that has ended',
      async (it) => {
        await it.post('/sessions', { agent: 'scripted', session_id: 's', prompt: scriptBody({ text: 'a' }).prompt })
        await vi.waitFor(async () => expect((await it.get('/sessions/s')).body.status).toBe('completed'))
      },
      409,
      {
        error: {
          type: 'conflict',
          message: 'The session has ended; branch from it to go on, or begin a new session.',
        },
      },
    ],
  ])('%s is refused, and nothing is written', async (_name, prepare, status, body) => {
    const it = start()
    await prepare(it)
    const before = (await it.get('/sessions/s/audit')).body
    expect(await signal(it, 's', { name: 'a', payload: 1 })).toMatchObject({ status, body })
    expect((await it.get('/sessions/s/audit')).body).toEqual(before)
  })

  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  test.each<[string, string, number, RegExp]>([
    ['no name', '{}', 400, /^body: name: /],
    ['a name that is no text', '{"name":7}', 400, /^body: name: /],
    ['an empty name', '{"name":""}', 400, /^body: name: Expected an id$/],
    ['a name with spaces', '{"name":"a b"}', 400, /^body: name: Expected an id$/],
    ['a name that is a path', '{"name":".."}', 400, /^body: name: Expected an id$/],
    ['a name of 129 characters', `{"name":"${'n'.repeat(129)}"}`, 400, /^body: name: Expected an id$/],
    ['an actor that is no text', '{"name":"a","actor":1}', 400, /^body: actor: /],
    ['a list', '["a"]', 400, /object/],
    ['text that is no JSON', '{"name":', 400, /./],
    ['a payload twice', '{"name":"a","payload":1,"payload":2}', 400, /./],
    ['a payload of 100 levels', `{"name":"a","payload":${deep(100)}}`, 400, /100 levels/],
    ['a payload of 60,000 values', `{"name":"a","payload":[${'1,'.repeat(60_000)}1]}`, 400, /50,000|50000/],
    ['a payload of 1.6 million characters', `{"name":"a","payload":"${'x'.repeat(1_600_000)}"}`, 400, /too large/],
  ])('%s is refused', async (_name, body, status, message) => {
    const it = start()
    await begin(it, 'waiter', 's', 'a')
    const answer = await signal(it, 's', body)
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringMatching(message)])
    expect((await it.get('/sessions/s/audit')).body.audit).toEqual([])
  })

  test('a body of more than 8 MiB is 413, and an unknown field is a warning', async () => {
    const it = start({ maxBodyBytes: 1_000 })
    await begin(it, 'waiter', 's', 'a')
    expect(await signal(it, 's', { name: 'a', payload: 'x'.repeat(1_000) })).toMatchObject({
      status: 413,
      body: { error: { type: 'body_too_large' } },
    })
    const { body } = await signal(it, 's', { name: 'b', payloda: 1 })
    expect(body.warnings).toEqual([expect.stringContaining('"payload"')])
  })

  test.each<[string, unknown]>([
    ['null', null],
    ['false', false],
    ['zero', 0],
    ['a text with every kind of character', '\u0000\ud83d\ude00 </script>\u2028'],
    ['a payload of 98 levels', JSON.parse(deep(98))],
    ['names of every object', JSON.parse('{"__proto__":1,"constructor":{"prototype":2}}')],
  ])('a payload may be %s, and arrives as it is', async (_name, payload) => {
    const it = start()
    await begin(it, 'waiter', 's', 'a')
    expect((await signal(it, 's', { name: 'a', payload })).status).toBe(200)
    await vi.waitFor(async () => expect((await result(it, 's')).result).toEqual([payload]))
  })
})

describe('[H58] who may signal', () => {
  const tokens = [
    { token: 'root' },
    { token: 'watch', scopes: ['observe'] as const },
    { token: 'decide', scopes: ['observe', 'approve'] as const },
    { token: 'work', scopes: ['operate'] as const },
    { token: 'ada', user: 'ada' },
    { token: 'bob', user: 'bob' },
    { token: 'far', tenants: ['far'] },
  ]

  test('the scope operate, the owner, the tenant; and the signature is the credential’s', async () => {
    const it = start({ tokens })
    await begin(it, 'waiter', 's', 'a b', bearer('ada'))
    const as = (token: string, name = 'a') => signal(it, 's', { name, actor: 'cleo' }, bearer(token))
    expect((await signal(it, 's', { name: 'a' })).status).toBe(401)
    expect((await as('watch')).status).toBe(403)
    expect((await as('decide')).body).toMatchObject({ error: { message: 'This needs the scope "operate".' } })
    for (const token of ['bob', 'far'])
      expect(await as(token)).toMatchObject({
        status: 404,
        body: { error: 'Not found', message: 'There is no session s.' },
      })
    expect((await as('ada')).status).toBe(200)
    expect((await as('work', 'b')).status).toBe(200)
    expect((await it.get('/sessions/s/audit', bearer('ada'))).body.audit).toMatchObject([
      { action: 'signalled', actor: 'cleo', summary: 'b' },
      { action: 'signalled', actor: 'ada', summary: 'a' },
    ])
  })

  test('a ticket for the session signals once; one for another session finds nothing', async () => {
    const it = start({ tokens })
    await begin(it, 'waiter', 's', 'a', bearer('root'))
    const buy = async (body: object) => (await it.post('/tickets', body, bearer('root'))).body.ticket
    const use = (ticket: unknown) => it.post(`/sessions/s/signal?ticket=${ticket}`, { name: 'a' })
    expect((await use(await buy({ sessionId: 'elsewhere' }))).status).toBe(404)
    expect((await use(await buy({ sessionId: 's', scopes: ['observe'] }))).status).toBe(403)
    const ticket = await buy({ sessionId: 's' })
    expect((await use(ticket)).status).toBe(200)
    expect((await use(ticket)).status).toBe(401)
  })

  test('counts for the rate limit', async () => {
    const it = start({ rateLimit: { windowMs: 60_000, maxRequests: 2 } })
    await begin(it, 'waiter', 's', 'a')
    expect((await signal(it, 's', { name: 'x' })).status).toBe(200)
    const limited = await signal(it, 's', { name: 'a' })
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, expect.any(String)])
  })

  test('[H16] a private agent gets no signals in production', async () => {
    const it = start({ exposeAll: false, expose: ['waiter'] })
    const quiet = start({ exposeAll: false, expose: [] })
    await begin(it, 'waiter', 's', 'a')
    expect((await signal(it, 's', { name: 'a' })).status).toBe(200)
    await quiet.host.send({ tenant: 'default', agent: 'scripted', id: 's' }, { type: 'submit', prompt: 'hi' })
    expect((await signal(quiet, 's', { name: 'a' })).status).toBe(403)
  })

  test('[H15] ?agent= picks the session of another agent', async () => {
    const it = start()
    await begin(it, 'waiter', 's', 'a')
    await begin(it, 'other', 's', 'a')
    expect((await it.post('/sessions/s/signal?agent=other', { name: 'a', payload: 2 })).body.agent).toBe('other')
    expect(await result(it, 's')).toMatchObject({ status: 'running' })
    expect((await it.post('/sessions/s/signal?agent=nobody', { name: 'a' })).status).toBe(404)
  })
})

test('[F35] [F40] a signal is on the streams, in the channel and in the audit, with its sender', async () => {
  const it = start()
  await begin(it, 'waiter', 's', 'a')
  await signal(it, 's', { name: 'a', payload: { n: 1 }, actor: 'ann' })
  const response = await it.app.fetch(new Request('http://127.0.0.1/sessions/s/events'))
  const frames = await collectFrames<SseFrame>(response, [], (seen) => seen.at(-1)?.data.type === 'idle')
  expect(frames.map(({ data }) => data).filter(({ type }) => type === 'operator_action')).toMatchObject([
    { data: { action: 'signal', actor: 'ann', reason: null, name: 'a' } },
  ])
  const envelopeStream = await it.app.fetch(new Request('http://127.0.0.1/sessions/s/events/stream?tier=default'))
  const shown = await collectFrames<SseFrame>(envelopeStream, [], (seen) => seen.at(-1)?.data.type === 'turn_end')
  expect(shown.map(({ data }) => data).filter(({ type }) => type === 'signal_received')).toMatchObject([
    { payload: { name: 'a', payload: { n: 1 }, actor: 'ann' }, turn_id: 'r-2' },
  ])
  const { body } = await it.get('/sessions/s')
  const { envelopes } = body.channel as { envelopes: { event_type: string }[] }
  expect(envelopes.find(({ event_type }) => event_type === 'signal_received')).toMatchObject({
    sender_id: 'operator',
    recipient_ids: ['agent:waiter'],
    summary: 'Signal a by ann (not signed in)',
    payload: { name: 'a', payload: { n: 1 }, actor: 'ann' },
  })
})
