// A stub stands in for the providers: what reaches it, and what comes back, is what each rule is proved by.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { GrantName } from './grants.ts'
import { type CredentialProxy, type CredentialProxyOptions, type ProxyLogEntry, startCredentialProxy } from './proxy.ts'

const KEY = 'sk-real-canary-0001'
const run = { key: { tenant: 't', agent: 'claude', id: 's1' }, runId: 'r1', attempt: 1 }
const anthropic: GrantName = { ...run, provider: 'anthropic' }
const openai: GrantName = { ...run, provider: 'openai' }

interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}
type Reply = (got: ReceivedRequest, response: ServerResponse) => void

let got: ReceivedRequest[]
let reply: Reply
let stub: ReturnType<typeof createServer>
let stubUrl: string
let proxy: CredentialProxy
let entries: ProxyLogEntry[]

const json =
  (body: unknown, status = 200, headers = {}): Reply =>
  (_got, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const start = async (options: Partial<CredentialProxyOptions> = {}) => {
  await proxy?.close()
  proxy = await startCredentialProxy({
    secret: 'a secret',
    keys: { anthropic: () => KEY, openai: () => KEY },
    upstreams: { anthropic: stubUrl, openai: `${stubUrl}/v1` },
    report: (entry) => entries.push(entry),
    ...options,
  })
}

beforeEach(async () => {
  got = []
  entries = []
  reply = json({ usage: { input_tokens: 1, output_tokens: 1 } })
  stub = createServer(async (message, response) => {
    const seen = {
      method: message.method ?? '',
      url: message.url ?? '',
      headers: message.headers,
      body: await text(message),
    }
    got.push(seen)
    reply(seen, response)
  }).listen(0, '127.0.0.1')
  await once(stub, 'listening')
  stubUrl = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`
  await start()
})
afterEach(async () => {
  await proxy.close()
  stub.closeAllConnections()
  stub.close()
  expect(JSON.stringify(entries)).not.toMatch(/sk-real|bridle-run/)
})

const ask = async (
  grant: { token: string; baseUrl: string },
  path: string,
  { method = 'POST', body = { model: 'claude-x' } as unknown, headers = {} as Record<string, string> } = {},
) => {
  const response = await fetch(`${grant.baseUrl}${path}`, {
    method,
    headers: { 'x-api-key': grant.token, ...headers },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    redirect: 'manual',
  })
  const answer = await response.text()
  expect(answer + JSON.stringify([...response.headers])).not.toContain(KEY)
  return { status: response.status, headers: response.headers, body: answer ? JSON.parse(answer) : null }
}
const anthropicError = (type: string, message: unknown = expect.any(String)) => ({
  type: 'error',
  error: { type, message },
})

describe('[O14] a request that may pass', () => {
  test('anthropic: the token becomes the key, and everything else goes as it came', async () => {
    const answer = await ask(proxy.grant(anthropic), '/v1/messages?beta=true', {
      body: { model: 'claude-x', messages: [{ role: 'user', content: 'Grüße' }] },
      headers: { 'anthropic-version': '2023-06-01', cookie: 'a=b', 'x-forwarded-for': '10.0.0.1' },
    })
    expect(answer).toMatchObject({ status: 200, body: { usage: { input_tokens: 1 } } })
    const [seen] = got
    expect([seen?.method, seen?.url, JSON.parse(seen?.body ?? '')]).toEqual([
      'POST',
      '/v1/messages?beta=true',
      { model: 'claude-x', messages: [{ role: 'user', content: 'Grüße' }] },
    ])
    expect(seen?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' })
    for (const name of ['cookie', 'x-forwarded-for', 'authorization']) expect(seen?.headers[name]).toBeUndefined()
  })

  test('openai: by bearer, below the base path', async () => {
    const { token, baseUrl } = proxy.grant(openai)
    expect(baseUrl).toBe(`${proxy.url}/openai/v1`)
    const response = await fetch(`${baseUrl}/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '{"model":"gpt-5"}',
    })
    expect(response.status).toBe(200)
    expect([got[0]?.url, got[0]?.headers.authorization]).toEqual(['/v1/responses', `Bearer ${KEY}`])
  })

  test.each([
    ['POST', '/v1/messages/count_tokens'],
    ['GET', '/v1/models'],
    ['GET', '/v1/models/claude-x?beta=true'],
  ])('%s %s is passed on and costs nothing', async (method, path) => {
    expect((await ask(proxy.grant(anthropic), path, { method })).status).toBe(200)
    expect(got[0]?.url).toBe(path)
    expect(proxy.spend(anthropic)?.usd).toBe(0)
  })

  test('a probe is answered here, for anybody', async () => {
    for (const path of ['', '/', '/api/hello']) {
      expect((await fetch(`${proxy.url}/anthropic${path}`, { method: 'HEAD' })).status).toBe(200)
    }
    expect(got).toEqual([])
  })

  test('what was checked is what is sent: a name said twice means one thing', async () => {
    const grant = proxy.grant({ ...anthropic, models: ['cheap'] })
    await ask(grant, '/v1/messages', { body: '{"model":"dear","model":"cheap"}' })
    expect(got[0]?.body).toBe('{"model":"cheap"}')
  })

  test('the next process grants the same token; another run, attempt, session or provider has another', async () => {
    const { token } = proxy.grant(anthropic)
    const others = [
      { ...anthropic, attempt: 2 },
      { ...anthropic, runId: 'r2' },
      { ...anthropic, key: { ...run.key, id: 's2' } },
      openai,
    ]
    expect(new Set([token, ...others.map((name) => proxy.grant(name).token)]).size).toBe(5)
    await start()
    expect((await ask({ token, baseUrl: `${proxy.url}/anthropic` }, '/v1/messages')).status).toBe(401)
    expect(proxy.grant(anthropic).token).toBe(token)
    expect((await ask(proxy.grant(anthropic), '/v1/messages')).status).toBe(200)
  })

  test('the base URLs come from the environment of the host', async () => {
    await start({ upstreams: undefined, env: { ANTHROPIC_BASE_URL: `${stubUrl}/gateway/` } })
    await ask(proxy.grant(anthropic), '/v1/messages')
    expect(got[0]?.url).toBe('/gateway/v1/messages')
    await expect(start({ upstreams: { openai: 'http://user:pass@host/' } })).rejects.toThrow('plain http or https URL')
  })
})

describe('[O14] a request that may not', () => {
  test.each<[string, { token?: string; provider?: 'openai' }]>([
    ['no token', { token: '' }],
    ['a token that is none', { token: 'bridle-run-x' }],
    ['the token of another provider', { provider: 'openai' }],
  ])('%s: 401', async (_name, { token, provider }) => {
    const grant = proxy.grant(provider ? openai : anthropic)
    const asked = { token: token ?? grant.token, baseUrl: `${proxy.url}/anthropic` }
    expect(await ask(asked, '/v1/messages')).toMatchObject({
      status: 401,
      body: anthropicError('authentication_error'),
    })
    expect(got).toEqual([])
  })

  test('a revoked token: 401, and what it had asked for is cut', async () => {
    const grant = proxy.grant(anthropic)
    const asked = new Promise<void>((resolve) => {
      reply = (_got, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')
        response.once('close', resolve)
      }
    })
    const response = await fetch(`${grant.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': grant.token },
      body: '{"model":"claude-x"}',
    })
    proxy.revoke(anthropic)
    await expect(response.text()).rejects.toThrow()
    await asked
    expect((await ask(grant, '/v1/messages')).status).toBe(401)
    expect([proxy.spend(anthropic), proxy.revoke(anthropic)]).toEqual([null, null])
  })

  test.each([
    ['POST', '/v1/messages/batches'],
    ['POST', '/v1/complete'],
    ['GET', '/v1/messages'],
    ['GET', '/v1/models/x/y'],
    ['GET', '/v1/files'],
    ['POST', '/v1/messages/../files'],
    ['POST', '/v1/messages%2f..%2ffiles'],
    ['DELETE', '/v1/models/x'],
    ['POST', '//evil.example/v1/messages'],
  ])('%s %s: 404', async (method, path) => {
    expect(await ask(proxy.grant(anthropic), path, { method })).toMatchObject({
      status: 404,
      body: anthropicError('not_found_error'),
    })
    expect(got).toEqual([])
  })

  test('nothing is served outside the two providers', async () => {
    expect((await fetch(`${proxy.url}/v1/messages`, { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${proxy.url}/anthropicx/v1/messages`, { method: 'POST' })).status).toBe(404)
  })

  test('a model that the run may not use: 403 with the ones it may', async () => {
    const grant = proxy.grant({ ...anthropic, models: ['claude-haiku-*', 'claude-sonnet-5'] })
    expect((await ask(grant, '/v1/messages', { body: { model: 'claude-haiku-4-5' } })).status).toBe(200)
    for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
      expect(await ask(grant, path, { body: { model: 'claude-opus-5' } })).toMatchObject({
        status: 403,
        body: anthropicError('permission_error', expect.stringContaining('claude-haiku-*, claude-sonnet-5')),
      })
    }
    expect(got).toHaveLength(1)
  })

  test.each<[string, unknown, Record<string, string>]>([
    ['not JSON', '{', {}],
    ['no object', 'null', {}],
    ['no model', {}, {}],
    ['a model that is no name', { model: ['claude-x'] }, {}],
    ['in the background', { model: 'gpt-5', background: true }, {}],
    ['compressed', { model: 'gpt-5' }, { 'content-encoding': 'gzip' }],
  ])('a body that is %s: 400', async (_name, body, headers) => {
    expect((await ask(proxy.grant(openai), '/responses', { body, headers })).body).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param: null, code: 'invalid_request' },
    })
    expect(got).toEqual([])
  })

  test('a body above the limit: 413', async () => {
    await start({ bodyBytesMax: 1000 })
    const body = { model: 'claude-x', text: 'x'.repeat(300_000) }
    expect(await ask(proxy.grant(anthropic), '/v1/messages', { body })).toMatchObject({
      status: 413,
      body: anthropicError('request_too_large'),
    })
    expect(got).toEqual([])
  })

  test('a host without a key: 403, and its name', async () => {
    await start({ keys: {} })
    expect(await ask(proxy.grant(anthropic), '/v1/messages')).toMatchObject({
      status: 403,
      body: anthropicError('permission_error', expect.stringContaining('ANTHROPIC_API_KEY')),
    })
  })
})

describe('an answer', () => {
  test('streams piece by piece: each is there before the next is sent', async () => {
    const pieces = ['data: {"a":1}\n\n', 'data: {"type":', '"x"}\n\n', ': ping\n\n']
    let sent: ServerResponse | undefined
    reply = (_got, response) => {
      sent = response
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req-1' }).flushHeaders()
    }
    const { baseUrl, token } = proxy.grant(anthropic)
    const response = await fetch(`${baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': token },
      body: '{"model":"claude-x","stream":true}',
    })
    expect(response.headers.get('x-request-id')).toBe('req-1')
    const reader = response.body!.getReader()
    for (const piece of pieces) {
      sent?.write(piece)
      expect(Buffer.from((await reader.read()).value!).toString()).toBe(piece)
    }
    sent?.end()
    expect((await reader.read()).done).toBe(true)
  })

  test('a client that leaves takes its request along', async () => {
    const over = new Promise<void>((resolve) => {
      reply = (_got, response) => {
        response.once('close', resolve)
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')
      }
    })
    const { baseUrl, token } = proxy.grant(anthropic)
    const leave = new AbortController()
    const response = await fetch(`${baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': token },
      body: '{"model":"claude-x"}',
      signal: leave.signal,
    })
    await response.body!.getReader().read()
    leave.abort()
    await over
    await expect.poll(() => proxy.spend(anthropic)?.requests).toBe(1)
  })

  test('leaving before it begins is not free either', async () => {
    const arrived = new Promise<void>((resolve) => {
      reply = () => resolve()
    })
    const { baseUrl, token } = proxy.grant(anthropic)
    const leave = new AbortController()
    const body = JSON.stringify({ model: 'claude-x', text: 'x'.repeat(4_000) })
    const asked = fetch(`${baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': token },
      body,
      signal: leave.signal,
    })
    await arrived
    leave.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(() => proxy.spend(anthropic)?.inputTokens).toBeGreaterThan(1_000)
  })

  test('waits for a client that does not read', async () => {
    let isAllSent = false
    reply = async (_got, response) => {
      const pieces = Readable.from(Array.from({ length: 1024 }, () => Buffer.alloc(64 * 1024)))
      await pipeline(pieces, response.writeHead(200, { 'content-type': 'application/octet-stream' })).catch(() => {})
      isAllSent = true
    }
    const { baseUrl, token } = proxy.grant(anthropic)
    const call = request(`${baseUrl}/v1/models`, { headers: { 'x-api-key': token } }).end()
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(isAllSent).toBe(false)
    let bytes = 0
    for await (const part of answer as AsyncIterable<Buffer>) bytes += part.byteLength
    expect(bytes).toBe(1024 * 64 * 1024)
  })

  test("an error is the provider's own, without cookies, and without the key even where it is repeated", async () => {
    reply = ({ headers }, response) =>
      json({ type: 'error', error: { type: 'overloaded_error', message: `no ${headers['x-api-key']}` } }, 529, {
        'set-cookie': 'a=b',
        'retry-after': '3',
        'x-echo': String(headers['x-api-key']),
      })({} as ReceivedRequest, response)
    const answer = await ask(proxy.grant(anthropic), '/v1/messages')
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('set-cookie')]).toEqual([
      529,
      '3',
      null,
    ])
    expect(answer.body.error.message).toBe('no [key]')
    expect(proxy.spend(anthropic)?.requests).toBe(0)
  })

  test('a key that the provider refuses: 403, and whose key it is', async () => {
    reply = json({ error: { message: 'Incorrect API key provided: sk-re**********0001' } }, 401)
    expect(await ask(proxy.grant(openai), '/responses')).toMatchObject({
      status: 403,
      body: {
        error: { code: 'key_refused', message: 'OpenAI refused the key of this server. Check its OPENAI_API_KEY.' },
      },
    })
  })

  test('a redirect is not followed', async () => {
    reply = json({}, 307, { location: `${stubUrl}/elsewhere` })
    expect(await ask(proxy.grant(anthropic), '/v1/messages')).toMatchObject({
      status: 502,
      body: anthropicError('api_error'),
    })
    expect(got).toHaveLength(1)
  })

  test('a provider that cannot be reached: 502', async () => {
    await start({ upstreams: { anthropic: 'http://127.0.0.1:1' } })
    const answer = await ask(proxy.grant(anthropic), '/v1/messages')
    expect(answer).toMatchObject({ status: 502, body: anthropicError('api_error') })
    expect(JSON.stringify(answer.body)).toContain('Anthropic could not be reached from this server. Check its network.')
  })

  test('a provider that says nothing for too long: 502', async () => {
    await start({ silenceMs: 50 })
    reply = () => {}
    expect((await ask(proxy.grant(anthropic), '/v1/messages')).status).toBe(502)
  })

  test('an answer that breaks off breaks off for the client too', async () => {
    reply = (_got, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n', () => response.destroy())
    }
    const { baseUrl, token } = proxy.grant(anthropic)
    const response = await fetch(`${baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': token },
      body: '{"model":"claude-x"}',
    })
    await expect(response.text()).rejects.toThrow()
  })
})

describe('[O14] spending', () => {
  const used = (output_tokens: number) => json({ usage: { input_tokens: 0, output_tokens } })
  const prices = [['claude-x', { input: 1, output: 1 }]] as const

  test('a run over its limit is refused in words that a person can act on', async () => {
    await start({ prices })
    const grant = proxy.grant({ ...anthropic, maxSpendUsd: 0.5 })
    reply = used(300_000)
    expect((await ask(grant, '/v1/messages')).status).toBe(200)
    expect((await ask(grant, '/v1/messages')).status).toBe(200)
    expect(proxy.spend(anthropic)).toEqual({ usd: 0.6, requests: 2, inputTokens: 0, outputTokens: 600_000 })
    expect(await ask(grant, '/v1/messages')).toMatchObject({
      status: 402,
      body: anthropicError(
        'billing_error',
        'This run has spent about $0.60 of its limit of $0.50. Raise the limit to go on.',
      ),
    })
    expect(got).toHaveLength(2)
    expect(entries.map(({ status, refused, usd }) => [status, refused, usd])).toEqual([
      [200, null, 0.3],
      [200, null, 0.3],
      [402, 'spend_limit', 0],
    ])
  })

  test('granted again it keeps what it has spent; a raised limit lets it go on', async () => {
    await start({ prices })
    reply = used(300_000)
    await ask(proxy.grant({ ...anthropic, maxSpendUsd: 0.2 }), '/v1/messages')
    expect((await ask(proxy.grant({ ...anthropic, maxSpendUsd: 0.3 }), '/v1/messages')).status).toBe(402)
    expect((await ask(proxy.grant({ ...anthropic, maxSpendUsd: 1 }), '/v1/messages')).status).toBe(200)
    expect(proxy.revoke(anthropic)?.usd).toBeCloseTo(0.6)
    expect((await ask(proxy.grant({ ...anthropic, maxSpendUsd: 1, spentUsd: 1 }), '/v1/messages')).status).toBe(402)
  })

  test('a stream is counted as it passes, and a model nobody knows is not free', async () => {
    reply = (_got, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":1000')
      response.end('}}}\n\nevent: message_delta\ndata: {"type":"message_delta","usage":{"output_tokens":1000}}\n\n')
    }
    const { baseUrl, token } = proxy.grant(anthropic)
    await fetch(`${baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': token },
      body: '{"model":"mystery"}',
    }).then((response) => response.text())
    await expect
      .poll(() => proxy.spend(anthropic))
      .toEqual({ usd: 0.09, requests: 1, inputTokens: 1000, outputTokens: 1000 })
  })
})

describe('[O27] many requests at once', () => {
  const prices = [['claude-x', { input: 1, output: 1 }]] as const
  const body = (max_tokens: number) => ({ model: 'claude-x', max_tokens, messages: [] })
  const used = (output_tokens: number) => json({ usage: { input_tokens: 0, output_tokens } })
  /** Answers that wait until the test releases them. */
  const slowly = (tokens: number, then: Reply = used(tokens)) => {
    const waiting: (() => void)[] = []
    reply = (seen, response) => void waiting.push(() => then(seen, response))
    return waiting
  }
  const others = ['s1', 's2', 's3'].map((id) => ({ ...anthropic, key: { ...run.key, id } }))
  /** Releases answers until all requests have ended. */
  const ended = async <T>(asked: Promise<T>[], waiting: (() => void)[]): Promise<T[]> => {
    let isOver = false
    const all = Promise.all(asked).finally(() => {
      isOver = true
    })
    while (!isOver) {
      waiting.shift()?.()
      await new Promise(setImmediate)
    }
    return all
  }

  test('a limit is passed by one request at most, for each of three runs', async () => {
    await start({ prices })
    const waiting = slowly(400_000)
    let answered = 0
    const asked = Array.from({ length: 40 }, () => others).flatMap((names) =>
      names.map((name) =>
        ask(proxy.grant({ ...name, maxSpendUsd: 0.5 }), '/v1/messages', { body: body(400_000) }).finally(() => {
          answered += 1
        }),
      ),
    )
    await expect.poll(() => answered).toBe(3 * 8)
    const statuses = (await ended(asked, waiting)).map(({ status }) => status)
    // Two of $0.40 each: the second is sent alone, since what is left does not cover it.
    for (const name of others) expect(proxy.spend(name)).toMatchObject({ usd: 0.8, requests: 2 })
    expect(got).toHaveLength(6)
    expect(statuses.filter((status) => status === 200)).toHaveLength(6)
    // A run has at most 32 open requests; the waiting ones were refused when the limit was reached.
    expect(new Set(statuses)).toEqual(new Set([200, 402, 429]))
    expect(statuses.filter((status) => status === 429)).toHaveLength(3 * 8)
  })

  test('those that the limit covers go together; a limit below the worst case stops nothing', async () => {
    await start({ prices })
    const waiting = slowly(1_000)
    const grant = proxy.grant({ ...anthropic, maxSpendUsd: 0.5 })
    const asked = Array.from({ length: 6 }, () => ask(grant, '/v1/messages', { body: body(100_000) }))
    await expect.poll(() => got.length).toBe(4)
    expect((await ended(asked, waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect((await ended([ask(grant, '/v1/messages', { body: body(1e9) })], waiting))[0]?.status).toBe(200)
    expect(proxy.spend(anthropic)?.usd).toBeCloseTo(0.007)
  })

  test.each<[string, Reply]>([
    ['an error of the provider', json({ error: {} }, 529)],
    ['a connection that breaks', (_got, response) => void response.destroy()],
    ['a key that is refused', json({}, 401)],
  ])('%s gives back what was reserved', async (_name, failing) => {
    await start({ prices })
    const waiting = slowly(0, failing)
    const grant = proxy.grant({ ...anthropic, maxSpendUsd: 0.5 })
    const asked = [1, 2, 3].map(() => ask(grant, '/v1/messages', { body: body(450_000) }))
    const statuses = (await ended(asked, waiting)).map(({ status }) => status)
    expect([statuses.every((status) => status >= 400), got.length]).toEqual([true, 3])
    expect(proxy.spend(anthropic)).toMatchObject({ usd: 0, requests: 0 })
    reply = used(1_000)
    expect((await ask(grant, '/v1/messages', { body: body(450_000) })).status).toBe(200)
  })

  test('a stream that is cut counts what passed, and lets the next one go', async () => {
    await start({ prices })
    reply = (_got, response) => {
      const delta = `data: {"type":"content_block_delta","delta":{"text":"${'x'.repeat(4_000)}"}}\n\n`
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta)
    }
    const { baseUrl, token } = proxy.grant({ ...anthropic, maxSpendUsd: 0.5 })
    for (let count = 1; count <= 3; count++) {
      const leave = new AbortController()
      const response = await fetch(`${baseUrl}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': token },
        body: JSON.stringify(body(450_000)),
        signal: leave.signal,
      })
      await response.body!.getReader().read()
      leave.abort()
      await expect.poll(() => proxy.spend(anthropic)?.outputTokens).toBe(count * 1_000)
    }
  })

  test('counting tokens reserves nothing, and is not held up', async () => {
    await start({ prices })
    const waiting = slowly(1_000)
    const grant = proxy.grant({ ...anthropic, maxSpendUsd: 0.5 })
    const held = ask(grant, '/v1/messages', { body: body(1e9) })
    await expect.poll(() => got.length).toBe(1)
    const counts = [1, 2, 3].map(() => ask(grant, '/v1/messages/count_tokens', { body: body(1e9) }))
    await expect.poll(() => got.length).toBe(4)
    await ended([held, ...counts], waiting)
  })

  test('a request that waits and is left takes nothing along', async () => {
    await start({ prices })
    const waiting = slowly(1_000)
    const { baseUrl, token } = proxy.grant({ ...anthropic, maxSpendUsd: 0.5 })
    const first = ask({ baseUrl, token }, '/v1/messages', { body: body(1e9) })
    await expect.poll(() => got.length).toBe(1)
    const leave = new AbortController()
    const left = fetch(`${baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': token },
      body: JSON.stringify(body(1e9)),
      signal: leave.signal,
    })
    const third = ask({ baseUrl, token }, '/v1/messages', { body: body(1e9) })
    leave.abort()
    await expect(left).rejects.toThrow()
    expect((await ended([first, third], waiting)).map(({ status }) => status)).toEqual([200, 200])
    expect(got).toHaveLength(2)
  })

  test('bodies under way have a limit together', async () => {
    await start({ prices })
    const waiting = slowly(0)
    const grant = proxy.grant({ ...anthropic, maxSpendUsd: 0.5 })
    const large = { ...body(1e9), text: 'x'.repeat(30 * 1024 * 1024) }
    const asked = [1, 2, 3].map(() => ask(grant, '/v1/messages', { body: large }))
    const statuses = (await ended(asked, waiting)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 200, 429])
    expect((await ended([ask(grant, '/v1/messages', { body: large })], waiting))[0]?.status).toBe(200)
  })
})
