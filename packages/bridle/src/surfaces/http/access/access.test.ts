// The document's matrices for auth, tenancy, gating and limits, row by row.
import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { scriptBody } from '../test-client.suite.ts'
import { exposesAll } from './exposure.ts'
import { redactUrl } from './secrets.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const typeOf = (body: Record<string, unknown>) => (body.error as { type?: string }).type

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
    if (status === 401) expect(typeOf(reply.body)).toBe('unauthorized')
  })

  test.each([
    [true, 200],
    [false, 401],
  ])('the hook that says %s is %i', async (word, status) => {
    expect((await testApp({ authToken: 'right', extractAuthToken: () => word }).get('/sessions')).status).toBe(status)
  })

  test('the hook that says nothing leaves it to the token', async () => {
    const { get: ask } = testApp({ authToken: 'right', extractAuthToken: async () => undefined })
    expect((await ask('/sessions')).status).toBe(401)
    expect((await ask('/sessions', bearer('right'))).status).toBe(200)
  })

  test('a token with scopes can do no more than they say', async () => {
    const { get: ask, post } = testApp({ tokens: [{ token: 'reader', scopes: ['observe'] }] })
    expect((await ask('/sessions', bearer('reader'))).status).toBe(200)
    const refused = await post('/agents/scripted/x', scriptBody({ text: 'x' }), bearer('reader'))
    expect([refused.status, typeOf(refused.body)]).toEqual([403, 'forbidden'])
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
      expect([path, foreign.status, foreign.body]).toEqual([path, 404, { error: 'Not found' }])
      expect(foreign.body).toEqual(unknown.body)
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
    expect([closed.status, typeOf(closed.body)]).toEqual([403, 'forbidden'])
    expect((await ask(method, path.replace('AGENT', 'hooked'), body)).status).not.toBe(403)
  })
})

describe('[H17] rate limits', () => {
  test('so many a window, told when to come back, per token', async () => {
    const { get, advance } = testApp({
      tokens: [{ token: 'a' }, { token: 'b' }],
      rateLimit: { windowMs: 60_000, maxRequests: 2 },
    })
    const statuses = async (token: string, times: number) => {
      const all: number[] = []
      for (let time = 0; time < times; time++) all.push((await get('/sessions', bearer(token))).status)
      return all
    }
    expect(await statuses('a', 3)).toEqual([200, 200, 429])
    const refused = await get('/sessions', bearer('a'))
    expect(typeOf(refused.body)).toBe('rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await statuses('b', 1)).toEqual([200])
    expect((await get('/health', bearer('a'))).status).toBe(200)
    expect((await get('/ready', bearer('a'))).status).toBe(200)
    advance(60_000)
    expect(await statuses('a', 1)).toEqual([200])
  })

  test('without a token, per address; guessing tokens counts too', async () => {
    let address = '10.0.0.1'
    const options = { rateLimit: { windowMs: 1_000, maxRequests: 1 }, callerAddress: () => address }
    const open = testApp(options)
    expect([(await open.get('/sessions')).status, (await open.get('/sessions')).status]).toEqual([200, 429])
    address = '10.0.0.2'
    expect((await open.get('/sessions')).status).toBe(200)
    const guarded = testApp({ ...options, authToken: 'right' })
    expect([(await guarded.get('/sessions')).status, (await guarded.get('/sessions')).status]).toEqual([401, 429])
  })
})

describe('[H53] rate limits are told', () => {
  test('in every answer of a limited route, for each caller', async () => {
    const { get, advance } = testApp({
      tokens: [{ token: 'a' }, { token: 'b' }],
      rateLimit: { windowMs: 60_000, maxRequests: 2 },
    })
    advance(60_000 - (1_700_000_000_000 % 60_000))
    const told = async (path: string, token: string) => {
      const { status, headers } = await get(path, bearer(token))
      const names = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy', 'ratelimit']
      return [status, ...names.map((name) => headers.get(name))]
    }
    const policy = '"default";q=2;w=60'
    expect(await told('/sessions', 'a')).toEqual([200, '2', '1', '60', policy, '"default";r=1;t=60'])
    expect(await told('/sessions/none', 'a')).toEqual([404, '2', '0', '60', policy, '"default";r=0;t=60'])
    expect(await told('/sessions', 'b')).toEqual([200, '2', '1', '60', policy, '"default";r=1;t=60'])
    advance(20_000)
    expect(await told('/sessions', 'a')).toEqual([429, '2', '0', '40', policy, '"default";r=0;t=40'])
    expect(await told('/health', 'a')).toEqual([200, null, null, null, null, null])
    expect((await testApp().get('/sessions')).headers.get('ratelimit')).toBeNull()
  })
})

describe('behind a proxy', () => {
  const proxy = '10.0.0.1'
  const trusting = { callerAddress: () => proxy, isTrustedProxy: (address: string) => address === proxy }

  test('[H54] limits count the caller behind a trusted proxy, three of them in turn; without trust, all are one', async () => {
    const rateLimit = { windowMs: 60_000, maxRequests: 2 }
    const from = (caller: string) => ({ ...bearer('right'), 'x-forwarded-for': `6.6.6.6, ${caller}` })
    const hook = { extractAuthToken: () => true }
    const [trusted, plain] = [
      testApp({ ...trusting, ...hook, rateLimit }),
      testApp({ callerAddress: () => proxy, ...hook, rateLimit }),
    ]
    const seen: [string, number, number][] = []
    for (let round = 0; round < 3; round++)
      for (const caller of ['1.1.1.1', '2.2.2.2', '3.3.3.3'])
        seen.push([
          caller,
          (await trusted.get('/sessions', from(caller))).status,
          (await plain.get('/sessions', from(caller))).status,
        ])
    expect(seen.map(([, status]) => status)).toEqual([200, 200, 200, 200, 200, 200, 429, 429, 429])
    expect(seen.map(([, , status]) => status)).toEqual([200, 200, 429, 429, 429, 429, 429, 429, 429])
  })

  test.each([
    [{ 'x-forwarded-host': 'app.example.com' }, 'https://app.example.com', 200],
    [{ 'x-forwarded-host': 'app.example.com', 'x-forwarded-proto': 'https' }, 'https://app.example.com', 200],
    [{ 'x-forwarded-host': 'app.example.com', 'x-forwarded-proto': 'https' }, 'http://app.example.com', 403],
    [{ 'x-forwarded-host': 'evil.example, app.example.com' }, 'https://evil.example', 403],
    [{ 'x-forwarded-host': 'app.example.com' }, 'https://evil.example', 403],
  ] as [Record<string, string>, string, number][])(
    '[H55] with %j a page of %s gets %i, and without trust 403',
    async (headers, origin, status) => {
      const asked = { ...bearer('right'), origin, host: 'upstream:4317', ...headers }
      expect((await testApp({ authToken: 'right', ...trusting }).get('/sessions', asked)).status).toBe(status)
      expect((await testApp({ authToken: 'right', callerAddress: () => proxy }).get('/sessions', asked)).status).toBe(
        403,
      )
    },
  )

  test.each([
    { 'x-forwarded-for': '1.1.1.1' },
    { forwarded: 'for=1.1.1.1' },
    { 'x-forwarded-host': 'localhost' },
    { 'x-real-ip': '1.1.1.1' },
  ] as Record<string, string>[])(
    '[H56] a server without a token refuses a request that a proxy passed on: %j',
    async (headers) => {
      for (const options of [{}, trusting]) {
        const open = testApp(options)
        for (const path of ['/sessions', '/agents/scripted/x', '/approvals']) {
          const { status, body } = await open.get(path, headers)
          expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining('came through a proxy')])
        }
        expect((await open.get('/health', headers)).status).toBe(200)
        expect((await open.get('/sessions')).status).toBe(200)
        // A name that leads to this machine, whatever else the request says of it.
        expect((await open.get('/sessions', { host: 'evil.example', ...headers })).status).toBe(403)
      }
      expect((await testApp({ authToken: 'right' }).get('/sessions', { ...headers, ...bearer('right') })).status).toBe(
        200,
      )
    },
  )
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

describe('[H14] pages', () => {
  test.each<[string, string, string, number]>([
    ['a page of this very server', 'app.example', 'https://app.example', 200],
    ['a page that is allowed', 'app.example', 'https://friend.example', 200],
    ['a page of this machine', 'app.example', 'http://localhost:5173', 200],
    ['any other page', 'app.example', 'https://evil.example', 403],
    ['a page without an origin', 'app.example', 'null', 403],
  ])('%s', async (_name, host, origin, status) => {
    const { get } = testApp({ authToken: 'right', allowedOrigins: ['https://friend.example'] })
    const reply = await get('/sessions', { ...bearer('right'), host, origin })
    expect(reply.status).toBe(status)
  })

  test('those that are allowed can read the answer, others cannot', async () => {
    const { ask } = testApp({ authToken: 'right', allowedOrigins: ['https://friend.example'] })
    const allow = async (origin: string) => {
      const headers = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      }
      return (await ask('OPTIONS', '/sessions', undefined, headers)).headers.get('access-control-allow-origin')
    }
    expect([await allow('https://friend.example'), await allow('https://evil.example')]).toEqual([
      'https://friend.example',
      null,
    ])
  })
})

test('[H14] a probe learns whether it is ready; what is here is for those who may come in', async () => {
  const { get } = testApp({ authToken: 'right', workspace: { target: 'test' } })
  expect((await get('/ready')).body).toEqual({ ready: true })
  expect((await get('/ready', bearer('right'))).body).toMatchObject({ ready: true, workspace: { target: 'test' } })
})

test('[H19] tokens and tickets never reach a log line', async () => {
  const lines: string[] = []
  const { get } = testApp({ authToken: 'canary-token', onRequest: (seen) => lines.push(JSON.stringify(seen)) })
  await get('/sessions?token=canary-token&x=1')
  await get('/sessions?ticket=canary-ticket')
  await get('/sessions', bearer('canary-token'))
  expect(lines).toHaveLength(3)
  expect(lines.join()).not.toContain('canary')
  expect(redactUrl('/a?token=b&ticket=c&x=1')).toBe('/a?token=…&ticket=…&x=1')
  expect(redactUrl('/a?%74oken=b&TOKEN=c&x=token')).toBe('/a?%74oken=…&TOKEN=…&x=token')
  expect(redactUrl('/plain')).toBe('/plain')
})

test('[H19] a correlation id comes back, and is made when none fits', async () => {
  const { get } = testApp()
  expect((await get('/health', { 'x-correlation-id': 'abc-1' })).headers.get('x-correlation-id')).toBe('abc-1')
  expect((await get('/health', { 'x-correlation-id': 'a b' })).headers.get('x-correlation-id')).toMatch(
    /^[0-9a-f-]{36}$/,
  )
})

describe('[H35] guessing tokens', () => {
  const guarded = (more: object = {}) => {
    let address = '10.0.0.1'
    const here = testApp({
      tokens: [{ token: 'right' }, { token: 'also-right' }],
      authBackOff: { windowMs: 60_000, maxFailures: 3 },
      callerAddress: () => address,
      ...more,
    })
    const statuses = async (path: string, ...tokens: string[]) => {
      const all: number[] = []
      for (const token of tokens) all.push((await here.get(path, bearer(token))).status)
      return all
    }
    return { ...here, statuses, from: (other: string) => (address = other) }
  }

  test('after some an address is refused unheard, on every route, until the window is over', async () => {
    const { statuses, advance, from, get } = guarded()
    expect(await statuses('/sessions', 'a', 'b')).toEqual([401, 401])
    expect(await statuses('/ready', 'c', 'd', 'right')).toEqual([200, 429, 429])
    expect(await statuses('/sessions', 'e', 'right')).toEqual([429, 429])
    expect((await get('/sessions?token=right')).status).toBe(429)
    const refused = await get('/metrics', bearer('right'))
    expect([typeOf(refused.body), Number(refused.headers.get('retry-after')) > 0]).toEqual(['rate_limited', true])
    // A caller without a token guesses nothing.
    expect([(await get('/ready')).status, (await get('/health')).status, (await get('/sessions')).status]).toEqual([
      200, 200, 401,
    ])
    from('10.0.0.2')
    expect(await statuses('/sessions', 'right', 'f')).toEqual([200, 401])
    from('10.0.0.1')
    advance(60_000)
    expect(await statuses('/sessions', 'right')).toEqual([200])
  })

  test('a token that was right from there goes on working; another right one has to wait', async () => {
    const { statuses } = guarded()
    expect(await statuses('/sessions', 'right', 'a', 'b', 'c', 'd')).toEqual([200, 401, 401, 401, 429])
    expect(await statuses('/sessions', 'right', 'also-right')).toEqual([200, 429])
    expect(await statuses('/ready', 'right', 'x')).toEqual([200, 429])
  })

  test('whom a hook let in goes on too', async () => {
    const { statuses } = guarded({
      extractAuthToken: ({ headers }: Request) => headers.get('authorization') === 'Bearer login',
    })
    expect(await statuses('/sessions', 'login', 'a', 'b', 'c', 'd', 'login')).toEqual([200, 401, 401, 401, 429, 200])
  })

  test('by default thirty a minute', async () => {
    const { statuses } = guarded({ authBackOff: undefined })
    const all = await statuses('/sessions', ...Array.from({ length: 32 }, (_, n) => `guess-${n}`))
    expect([all.filter((status) => status === 401).length, all.filter((status) => status === 429).length]).toEqual([
      30, 2,
    ])
  })
})

describe('[H36] pages of other sites', () => {
  const site = (where: string, mode: string, dest: string) => ({
    'sec-fetch-site': where,
    'sec-fetch-mode': mode,
    'sec-fetch-dest': dest,
  })
  test.each<[string, Record<string, string>, number]>([
    ['an image', site('cross-site', 'no-cors', 'image'), 403],
    ['an image of another port', site('same-site', 'no-cors', 'image'), 403],
    ['a script', site('cross-site', 'no-cors', 'script'), 403],
    ['a frame', site('cross-site', 'navigate', 'iframe'), 403],
    ['a frame of another port', site('same-site', 'navigate', 'iframe'), 403],
    ['a fetch without CORS', site('cross-site', 'no-cors', 'empty'), 403],
    ['a link', site('cross-site', 'navigate', 'document'), 200],
    ['a page of ours', site('same-origin', 'cors', 'empty'), 200],
    ['the address bar', site('none', 'navigate', 'document'), 200],
    ['no browser', {}, 200],
    [
      'a page of this machine that says so',
      { ...site('same-site', 'cors', 'empty'), origin: 'http://localhost:5173' },
      200,
    ],
    [
      'a page of elsewhere that says so',
      { ...site('cross-site', 'cors', 'empty'), origin: 'https://evil.example' },
      403,
    ],
    ['a page that is allowed', { ...site('cross-site', 'cors', 'empty'), origin: 'https://friend.example' }, 200],
  ])('%s', async (_name, headers, status) => {
    const { get, post } = testApp({ allowedOrigins: ['https://friend.example'] })
    await post('/agents/scripted/s1', scriptBody({ text: 'x' }))
    for (const path of ['/sessions', '/sessions/s1', '/approvals', '/docs', '/metrics'])
      expect([path, (await get(path, headers)).status]).toEqual([path, status])
    const stream = await get('/agents/scripted/s1?limit=1', headers)
    expect(stream.status).toBe(status)
    expect((await post('/sessions/s1/cancel', {}, headers)).status).toBe(status)
  })

  test('where a token is wanted, a ticket may stand in an image', async () => {
    const { get, post } = testApp({ authToken: 'right' })
    const { body } = await post('/tickets', {}, bearer('right'))
    const embedded = await get(`/sessions?ticket=${body.ticket}`, site('cross-site', 'no-cors', 'image'))
    expect(embedded.status).toBe(200)
  })

  test('no answer can be embedded, or be taken for something else', async () => {
    const { get, post } = testApp({ authToken: 'right' })
    const answers = [
      await get('/health'),
      await get('/sessions'),
      await get('/sessions', bearer('right')),
      await get('/sessions/none', bearer('right')),
      await post('/tickets', {}, bearer('right')),
      await get('/docs', bearer('right')),
    ]
    for (const { headers } of answers)
      expect([headers.get('cross-origin-resource-policy'), headers.get('x-content-type-options')]).toEqual([
        'same-origin',
        'nosniff',
      ])
  })
})

test('[O23] figures of the whole server are for a token that is bound to nothing', async () => {
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
    expect([token, status, typeOf(body)]).toEqual([token, 403, 'forbidden'])
    const { ticket } = (await post('/tickets', {}, bearer(token))).body
    expect((await get(`/metrics?ticket=${ticket}`)).status).toBe(403)
  }
  expect((await testApp().get('/metrics')).status).toBe(200)
})
