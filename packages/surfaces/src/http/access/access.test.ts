// The document's matrices for authentication, tenancy and gating, row by row.

import { describe, expect, test, vi } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, errorTypeOf, scriptBody } from '../test-client.suite.ts'
import type { SignedInUser } from './authenticate.ts'
import { AUTHENTICATE_MS } from './authenticate.ts'
import { exposesAll } from './exposure.ts'
import { redactUrl } from './secrets.ts'

describe('[H14] tokens', () => {
  const { get } = testApp({ authToken: 'right' })
  test.each<[string, string, Record<string, string>, number]>([
    ['no token', '/sessions', {}, 401],
    ['a wrong token', '/sessions', bearer('wrong'), 401],
    ['a prefix of it', '/sessions', bearer('righ'), 401],
    ['a longer one', '/sessions', bearer('rightt'), 401],
    ['another scheme', '/sessions', { authorization: 'Basic right' }, 401],
    ['the token', '/sessions', bearer('right'), 200],
    ['the token, in small letters', '/sessions', { authorization: 'bearer right' }, 200],
    ['the token in the query', '/sessions?token=right', {}, 200],
    ['a wrong one in the query', '/sessions?token=wrong', {}, 401],
    ['liveness needs none', '/health', {}, 200],
    ['readiness needs none', '/ready', {}, 200],
  ])('%s', async (_name, path, headers, status) => {
    const reply = await get(path, headers)
    expect(reply.status).toBe(status)
    if (status === 401) expect(errorTypeOf(reply.body)).toBe('unauthorized')
  })

  test.each([
    [true, 200],
    [false, 401],
  ])('a hook that answers %s is a %i', async (word, status) => {
    expect((await testApp({ authToken: 'right', extractAuthToken: () => word }).get('/sessions')).status).toBe(status)
  })

  test('a hook that does not decide leaves it to the token', async () => {
    const { get: ask } = testApp({ authToken: 'right', extractAuthToken: async () => undefined })
    expect((await ask('/sessions')).status).toBe(401)
    expect((await ask('/sessions', bearer('right'))).status).toBe(200)
  })

  test('a token can do no more than its scopes allow', async () => {
    const { get: ask, post } = testApp({ tokens: [{ token: 'reader', scopes: ['observe'] }] })
    expect((await ask('/sessions', bearer('reader'))).status).toBe(200)
    const refused = await post('/agents/scripted/x', scriptBody({ text: 'x' }), bearer('reader'))
    expect([refused.status, errorTypeOf(refused.body)]).toEqual([403, 'forbidden'])
    expect((await post('/sessions/x/approvals/apr-1/approve', {}, bearer('reader'))).status).toBe(403)
  })
})

describe('[H13] tenants', () => {
  test.each<[string, boolean, string, Record<string, string>, number]>([
    ['none is needed', false, '/sessions', {}, 200],
    ['one is required', true, '/sessions', {}, 400],
    ['by header', true, '/sessions', { 'x-fabric-tenant': 'acme' }, 200],
    ['by query', true, '/sessions?tenant=acme', {}, 200],
    ['a bad one', false, '/sessions?tenant=a%2Fb', {}, 400],
    ['an empty one', false, '/sessions?tenant=', {}, 400],
  ])('%s', async (_name, tenantRequired, path, headers, status) => {
    expect((await testApp({ tenantRequired }).get(path, headers)).status).toBe(status)
  })

  test('a token that lists its tenants chooses among them', async () => {
    const { get } = testApp({ tokens: [{ token: 't', tenants: ['acme', 'umbrella'] }], tenantRequired: true })
    expect((await get('/sessions', bearer('t'))).status).toBe(200)
    expect((await get('/sessions?tenant=umbrella', bearer('t'))).status).toBe(200)
    expect((await get('/sessions?tenant=other', bearer('t'))).status).toBe(403)
  })

  test('every route answers for a foreign session as for one that never was', async () => {
    const { ask } = testApp()
    const acme = { 'x-fabric-tenant': 'acme' }
    await ask(
      'POST',
      '/agents/scripted/s1',
      scriptBody({ text: 'mine' }, { artifact: { name: 'a.txt', content: 'x' } }),
      acme,
    )
    const routes: [string, string][] = [
      ['GET', '/sessions/ID'],
      ['GET', '/sessions/ID/events'],
      ['GET', '/sessions/ID/artifacts'],
      ['GET', '/sessions/ID/artifacts/a.txt'],
      ['GET', '/sessions/ID/runs/r-2'],
      ['GET', '/agents/scripted/ID'],
      ['DELETE', '/agents/scripted/ID'],
      ['POST', '/sessions/ID/approvals/apr-1/approve'],
    ]
    for (const [method, path] of routes) {
      const foreign = await ask(method, path.replace('ID', 's1'), method === 'POST' ? {} : undefined)
      const unknown = await ask(method, path.replace('ID', 'nope'), method === 'POST' ? {} : undefined)
      const whose = path.startsWith('/agents') ? ' of the agent scripted' : ''
      expect([path, foreign.status, foreign.body]).toEqual([
        path,
        404,
        { error: 'Not found', message: `There is no session s1${whose}.` },
      ])
      expect([path, unknown.status, unknown.body]).toEqual([
        path,
        404,
        { error: 'Not found', message: `There is no session nope${whose}.` },
      ])
    }
    expect((await ask('GET', '/sessions')).body).toEqual({ sessions: [] })
    expect((await ask('GET', '/sessions/s1', undefined, acme)).status).toBe(200)
  })
})

describe('[H16] gating', () => {
  test.each([
    [{ FABRIC_MODE: 'local', FABRIC_ENV: 'production' }, true],
    [{ FABRIC_MODE: 'dev', NODE_ENV: 'production' }, true],
    [{ FABRIC_MODE: 'local' }, true],
    [{ FABRIC_ENV: 'production' }, false],
    [{ NODE_ENV: 'production' }, false],
    [{ FABRIC_MODE: 'other', FABRIC_ENV: 'production' }, false],
    [{}, true],
    [{ NODE_ENV: 'development' }, true],
  ])('%j exposes all: %s', (env, all) => expect(exposesAll(env)).toBe(all))

  test.each([
    ['POST', '/agents/AGENT/x'],
    ['GET', '/agents/AGENT/x'],
    ['DELETE', '/agents/AGENT/x'],
    ['GET', '/agents/AGENT/x/stream?replay=bad'],
  ])('in production %s %s wants a webhook trigger', async (method, path) => {
    const { ask } = testApp({ exposeAll: false })
    const body = method === 'POST' ? scriptBody({ text: 'x' }) : undefined
    const closed = await ask(method, path.replace('AGENT', 'scripted').replace('bad', 'all'), body)
    expect([closed.status, errorTypeOf(closed.body)]).toEqual([403, 'forbidden'])
    expect((await ask(method, path.replace('AGENT', 'hooked'), body)).status).not.toBe(403)
  })
})

describe('[H18] tickets', () => {
  test('are for one use, one session and no more scopes than asked', async () => {
    const { get, post } = testApp({ authToken: 'right' })
    await post('/agents/scripted/s1', scriptBody({ text: 'x' }), bearer('right'))
    await post('/agents/scripted/s2', scriptBody({ text: 'x' }), bearer('right'))
    const ticket = async (wish: object) => String((await post('/tickets', wish, bearer('right'))).body.ticket)

    const once = await ticket({ sessionId: 's1', scopes: ['observe'] })
    expect((await get(`/sessions/s1?ticket=${once}`)).status).toBe(200)
    expect((await get(`/sessions/s1?ticket=${once}`)).status).toBe(401)
    expect((await get(`/sessions/s2?ticket=${await ticket({ sessionId: 's1' })}`)).status).toBe(404)
    expect((await post(`/agents/scripted/s1?ticket=${await ticket({ scopes: ['observe'] })}`, {})).status).toBe(403)
    expect((await post('/tickets', { scopes: ['rule'] }, bearer('right'))).status).toBe(400)
    expect((await post('/tickets', {})).status).toBe(401)
  })

  test('for one session opens nothing else, and buys no other ticket', async () => {
    const { get, post } = testApp({ authToken: 'right' })
    for (const id of ['s1', 's2']) await post(`/agents/scripted/${id}`, scriptBody({ text: 'x' }), bearer('right'))
    const ticket = async () => String((await post('/tickets', { sessionId: 's1' }, bearer('right'))).body.ticket)
    expect((await post(`/tickets?ticket=${await ticket()}`, { sessionId: 's2' })).status).toBe(403)
    for (const path of ['/sessions', '/approvals', '/metrics', '/openapi.json', '/sessions/s2']) {
      expect([path, (await get(`${path}?ticket=${await ticket()}`)).status]).toEqual([path, 404])
    }
    expect((await get(`/sessions/s1?ticket=${await ticket()}`)).status).toBe(200)
  })

  test('expire', async () => {
    const { get, post, advance } = testApp({ authToken: 'right' })
    const { body } = await post('/tickets', {}, bearer('right'))
    advance(30_001)
    expect((await get(`/sessions?ticket=${body.ticket}`)).status).toBe(401)
  })

  test('a ticket cannot buy what its buyer does not have', async () => {
    const { post } = testApp({ tokens: [{ token: 'reader', scopes: ['observe'] }] })
    const { body } = await post('/tickets', { scopes: ['operate', 'observe'] }, bearer('reader'))
    expect((await post(`/agents/scripted/x?ticket=${body.ticket}`, scriptBody({ text: 'x' }))).status).toBe(403)
  })
})

test('[H13] [H155] a body that names another user’s session gets the same words, whatever agent the session has', async () => {
  const tokens = ['ann', 'bob'].map((user) => ({ token: user, user }))
  const { post } = testApp({ tokens })
  expect((await post('/chat/sessions', { agent: 'scripted', session_id: 'his' }, bearer('bob'))).status).toBe(201)
  for (const path of ['/sessions', '/chat/sessions'])
    for (const agent of ['scripted', 'hooked'])
      expect(await post(path, { agent, session_id: 'his', prompt: 'x' }, bearer('ann'))).toMatchObject({
        status: 404,
        body: { error: 'Not found', message: 'There is no session his.' },
      })
})

test('[H13] a credential that names a user opens no other user’s session, and signs with that name', async () => {
  const tokens = [
    { token: 'ann', user: 'ann' },
    { token: 'bob', user: 'bob' },
  ]
  const { get, post, host } = testApp({ tokens })
  const answer = post('/agents/scripted/user:bob', scriptBody({ approve: 'write' }), bearer('bob'))
  const session = await host.open({ tenant: 'default', agent: 'scripted', id: 'user:bob' })
  while (Object.keys(session.state.approvals.open).length === 0) await new Promise(setImmediate)
  const [approvalId] = Object.keys(session.state.approvals.open)
  const approve = `/sessions/user:bob/approvals/${approvalId}/approve`
  expect((await get('/sessions/user:bob', bearer('ann'))).status).toBe(404)
  expect((await post(approve, {}, bearer('ann'))).status).toBe(404)
  expect((await post(approve, { actor: 'somebody else' }, bearer('bob'))).status).toBe(200)
  await answer
  const { body } = await get('/agents/scripted/user:bob', bearer('bob'))
  expect(body.approvals).toMatchObject([{ actor: 'bob' }])
})

test('[H14] a probe without a credential learns whether the server is ready, and nothing else', async () => {
  const { get } = testApp({ authToken: 'right', workspace: { target: 'test' } })
  expect((await get('/ready')).body).toEqual({ ready: true })
  expect((await get('/ready', bearer('right'))).body).toMatchObject({ ready: true, workspace: { target: 'test' } })
})

test('[H19] tokens and tickets never reach a log line', async () => {
  const lines: string[] = []
  const { get } = testApp({ authToken: 'canary-token', onRequest: (entry) => lines.push(JSON.stringify(entry)) })
  await get('/sessions?token=canary-token&x=1')
  await get('/sessions?ticket=canary-ticket')
  await get('/sessions', bearer('canary-token'))
  expect(lines).toHaveLength(3)
  expect(lines.join()).not.toContain('canary')
  expect(redactUrl('/a?token=b&ticket=c&x=1')).toBe('/a?token=…&ticket=…&x=1')
  expect(redactUrl('/a?%74oken=b&TOKEN=c&x=token')).toBe('/a?%74oken=…&TOKEN=…&x=token')
  expect(redactUrl('/plain')).toBe('/plain')
})

test('[H19] an answer repeats the correlation id of its request, or has a new one where that is not valid', async () => {
  const { get } = testApp()
  expect((await get('/health', { 'x-correlation-id': 'abc-1' })).headers.get('x-correlation-id')).toBe('abc-1')
  expect((await get('/health', { 'x-correlation-id': 'a b' })).headers.get('x-correlation-id')).toMatch(
    /^[0-9a-f-]{36}$/,
  )
})

test('[O23] metrics of the whole server need a token that is bound to no tenant and no user', async () => {
  const { get, post } = testApp({
    tokens: [
      { token: 'op' },
      { token: 'ta', tenants: ['a'] },
      { token: 'tb', tenants: ['b'] },
      { token: 'ann', user: 'ann' },
    ],
  })
  expect((await get('/metrics', bearer('op'))).status).toBe(200)
  for (const token of ['ta', 'tb', 'ann']) {
    const { status, body } = await get('/metrics', bearer(token))
    expect([token, status, errorTypeOf(body)]).toEqual([token, 403, 'forbidden'])
    const { ticket } = (await post('/tickets', {}, bearer(token))).body
    expect((await get(`/metrics?ticket=${ticket}`)).status).toBe(403)
  }
  expect((await testApp().get('/metrics')).status).toBe(200)
})

describe("[H130] an app's own login", () => {
  const people: Record<string, SignedInUser | null> = {
    ada: { user: 'ada' },
    bo: { user: 'bo', tenant: 'acme' },
    guest: { user: 'guest', scopes: ['observe'] },
    staff: { user: null },
  }
  const as = (name: string) => ({ cookie: `user=${name}` })
  const login = (request: Request) => people[/user=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''] ?? null
  const app = () => testApp({ authToken: 'right', authenticate: login })

  test.each<[string, Record<string, string>, number]>([
    ['nobody', {}, 401],
    ['an unknown name', as('eve'), 401],
    ['a user', as('ada'), 200],
    ['a user of a tenant', as('bo'), 200],
    ['a user with a token of the app', { ...as('ada'), ...bearer('a-token-of-the-app') }, 200],
    ['the token of the server', bearer('right'), 200],
    ['a wrong token', bearer('wrong'), 401],
    ['a user who names another tenant', { ...as('bo'), 'x-fabric-tenant': 'default' }, 403],
  ])('%s', async (_name, headers, status) => {
    expect((await app().get('/sessions', headers)).status).toBe(status)
  })

  test('users see their own sessions and those of nobody, staff those of the tenant, and a guest changes nothing', async () => {
    const { get, post } = app()
    for (const name of ['ada', 'bo', 'staff'])
      await post(`/agents/scripted/of-${name}`, scriptBody({ text: 'x' }), as(name))
    const ids = async (name: string) =>
      ((await get('/sessions', as(name))).body.sessions as { id: string }[]).map(({ id }) => id).sort()
    expect([await ids('ada'), await ids('bo'), await ids('staff')]).toEqual([
      ['of-ada', 'of-staff'],
      ['of-bo'],
      ['of-ada', 'of-staff'],
    ])
    expect((await get('/sessions/of-ada', as('guest'))).status).toBe(404)
    expect((await post('/agents/scripted/of-guest', scriptBody({ text: 'x' }), as('guest'))).status).toBe(403)
    expect((await get('/metrics', as('ada'))).status).toBe(403)
  })

  test.each<[string, unknown]>([
    ['no user', {}],
    ['an undefined user', { user: undefined }],
    ['an empty user', { user: '' }],
    ['a number', { user: 7 }],
    ['a bad tenant', { user: 'ada', tenant: 'a/b' }],
    ['an unknown scope', { user: 'ada', scopes: ['admin'] }],
    ['scopes under another name', { user: 'ada', scope: ['observe'] }],
  ])('a mistake of the app lets nobody in: %s', async (_name, signedIn) => {
    const { get } = testApp({ authenticate: () => signedIn as SignedInUser })
    expect((await get('/sessions')).status).toBe(500)
  })

  test('a login that fails lets nobody in', async () => {
    const { get } = testApp({ authenticate: () => Promise.reject(new Error('The database is gone.')) })
    const { status, body } = await get('/sessions')
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('database')])
  })

  test('a login that never answers is a 500 in the end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const answer = testApp({ authenticate: () => new Promise<null>(() => {}) }).get('/sessions')
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0))
      await vi.advanceTimersByTimeAsync(AUTHENTICATE_MS)
      expect((await answer).status).toBe(500)
    } finally {
      vi.useRealTimers()
    }
  })

  test.each<[string, Record<string, string>, number]>([
    ['its own page', { host: 'app.example', origin: 'http://app.example' }, 200],
    ['a listed page', { host: 'app.example', origin: 'https://shop.example' }, 200],
    ['a page of another site', { host: 'app.example', origin: 'https://evil.example' }, 403],
    ["a page of the caller's machine", { host: 'app.example', origin: 'http://localhost:5173' }, 403],
    ['the same, where the server is on that machine', { host: 'localhost:3000', origin: 'http://localhost:5173' }, 200],
    ['an image in a page of another site', { host: 'app.example', 'sec-fetch-site': 'cross-site' }, 403],
  ])('[H131] a cookie comes along from every page: %s', async (_name, headers, status) => {
    const { get } = testApp({ authenticate: login, allowedOrigins: ['https://shop.example'] })
    expect((await get('/sessions', { ...as('ada'), ...headers })).status).toBe(status)
  })
})
