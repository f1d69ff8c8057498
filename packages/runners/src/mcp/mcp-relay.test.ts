// The way of a request to an MCP server: from an engine through the relay of its run and the proxy of the server.
import { afterEach, describe, expect, test } from 'vitest'
import type { EngineMcpAddress } from './declaration.ts'
import type { McpHandler } from './handler.ts'
import {
  eventReply,
  jsonReply,
  listening,
  McpWorld,
  type McpWorldOptions,
  type OperatorReply,
  type ReceivedRequest,
  request,
  runName,
  toolCall,
} from './mcp-world.suite.ts'
import type { McpMessage } from './messages.ts'
import { urlServer } from './url-server.ts'

const KEY = 'Bearer docs-canary-0001'

let world: McpWorld
const start = async (options: McpWorldOptions = { servers: { docs: { headers: { Authorization: KEY } } } }) => {
  world = await McpWorld.start(options)
  return world
}
afterEach(async () => {
  await world.close()
})
const errorOf = ({ messages }: { messages: readonly object[] }) =>
  (messages.at(-1) as { error?: { code: number; message: string } }).error
const resultOf = (id: string | number, result: object) => ({ jsonrpc: '2.0', id, result })

describe('[EN44] [O150] the way to an MCP server at a URL', () => {
  test('[R38] a JSON answer: the server adds the credential, and nothing of the engine’s own passes for one', async () => {
    await start()
    const run = await world.run('s1')
    const call = toolCall('search', { query: 'Grüße' })
    const headers = {
      authorization: 'Bearer of-the-engine',
      cookie: 'a=b',
      'x-api-key': 'k',
      'x-forwarded-for': '1.2.3.4',
    }
    const answer = await run.ask(call, { headers: { ...headers, 'mcp-protocol-version': '2025-11-25' } })
    expect([answer.status, answer.messages]).toEqual([200, [resultOf(call.id, { ok: true })]])
    const [seen] = world.got
    expect(seen).toMatchObject({ method: 'POST', url: '/mcp', message: call })
    expect(seen?.headers).toMatchObject({ authorization: KEY, 'mcp-protocol-version': '2025-11-25' })
    for (const name of ['cookie', 'x-api-key', 'x-forwarded-for', 'x-bridle-repeated'])
      expect(seen?.headers).not.toHaveProperty(name)
  })

  test('a stream: requests and notifications of the server arrive before the answer, and what the client answers goes back', async () => {
    await start()
    const run = await world.run('s1')
    const answered = Promise.withResolvers<ReceivedRequest>()
    world.reply = async (got, response) => {
      if (got.message?.method === undefined) {
        answered.resolve(got)
        return response.writeHead(202).end()
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const write = (message: object) => response.write(`data: ${JSON.stringify(message)}\n\n`)
      write({ jsonrpc: '2.0', id: 'e1', method: 'elicitation/create', params: { message: 'Where to?' } })
      const { message } = await answered.promise
      write({ jsonrpc: '2.0', id: got.message.id, result: { heard: message?.result } })
      return response.end()
    }
    const call = toolCall('book')
    const asking = run.ask(call)
    const given = await run.ask({ jsonrpc: '2.0', id: 'e1', result: { action: 'accept' } })
    expect([given.status, given.text]).toEqual([202, ''])
    expect((await asking).messages).toEqual([
      { jsonrpc: '2.0', id: 'e1', method: 'elicitation/create', params: { message: 'Where to?' } },
      resultOf(call.id, { heard: { action: 'accept' } }),
    ])
  })

  test('[EN46] GET, DELETE and the session of MCP pass through; no other run can use the session', async () => {
    await start()
    const [one, two] = [await world.run('s1'), await world.run('s2')]
    world.reply = jsonReply({ serverInfo: {} }, { 'mcp-session-id': 'abc.def' })
    const opened = await one.ask(request('initialize'))
    const session = opened.headers.get('mcp-session-id') ?? ''
    world.reply = eventReply(() => ({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }))
    const headers = { 'mcp-session-id': session }
    expect((await one.ask(null, { headers: { ...headers, 'last-event-id': '7' } })).messages).toHaveLength(1)
    world.reply = (_got, response) => response.writeHead(200).end()
    expect((await one.ask(null, { method: 'DELETE', headers })).status).toBe(200)
    expect(
      world.got.slice(1).map(({ method, headers: each }) => [method, each['mcp-session-id'], each['last-event-id']]),
    ).toEqual([
      ['GET', 'abc.def', '7'],
      ['DELETE', 'abc.def', undefined],
    ])
    for (const stolen of [session, 'abc.def', session.replace('abc', 'abd')])
      expect((await two.ask(request('ping'), { headers: { 'mcp-session-id': stolen } })).status).toBe(404)
    expect(world.got).toHaveLength(3)
    // The next process of the server knows the session, too.
    await world.killServer()
    await world.startServer()
    world.reply = jsonReply({})
    expect((await one.ask(request('ping'), { headers })).status).toBe(200)
  })

  test('[EN46] [R38] three runs at once each have their own address, token and credential', async () => {
    const asked: object[] = []
    const headers = async (run: object | null) => {
      asked.push(run ?? {})
      return { 'x-user': String((run as { sessionId: string }).sessionId) }
    }
    await start({ servers: { docs: { headers } } })
    world.reply = ({ headers: seen, message }, response) =>
      setTimeout(() => jsonReply({ user: seen['x-user'] ?? null })({ message } as ReceivedRequest, response), 5)
    const runs = await Promise.all(['s1', 's2', 's3'].map((id) => world.run(id)))
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => runs[index % 3]?.ask(toolCall('who'))))
    expect(answers.map((answer) => (answer?.messages[0] as { result?: object } | undefined)?.result)).toEqual(
      Array.from({ length: 12 }, (_, index) => ({ user: `s${(index % 3) + 1}` })),
    )
    expect(asked).toContainEqual({ sessionId: 's2', tenant: 't' })
    const [one, two] = runs
    expect((await one?.ask(toolCall('who'), { part: two?.part ?? '' }))?.status).toBe(403)
    two?.end()
    expect((await two?.ask(toolCall('who')))?.status).toBe(403)
    expect((await one?.ask(toolCall('who')))?.status).toBe(200)
    expect(world.got).toHaveLength(13)
  })

  test('[EN46] the proxy refuses a token of another kind, of no run, and of one that has ended', async () => {
    await start()
    const run = await world.run('s1')
    const { token } = world.proxy.grantMcp(run.name, () => ({}))
    const post = async (bearer: string, path = '/mcp/docs') => {
      const body = JSON.stringify(request('ping'))
      return (await fetch(`${world.proxy.url}${path}`, { method: 'POST', headers: { authorization: bearer }, body }))
        .status
    }
    expect(await post(`Bearer ${token}`)).toBe(200)
    expect(await post(`Bearer ${token}`, '/mcp/others')).toBe(404)
    expect(await post(`Bearer ${token}`, '/mcp/toString')).toBe(404)
    expect([await post(`Bearer ${token}x`), await post('Bearer '), await post(token)]).toEqual([403, 403, 403])
    run.end()
    expect(await post(`Bearer ${token}`)).toBe(403)
  })
})

describe('[EN45] the credential', () => {
  test('is sent to the origin of the operator’s URL alone: a redirect within it is followed, any other is not', async () => {
    await start()
    const run = await world.run('s1')
    const elsewhere: string[] = []
    const other = await listening((request, response) => {
      elsewhere.push(request.url ?? '')
      response.end()
    })
    try {
      const redirect = (status: number, location: string): OperatorReply => {
        const answer = jsonReply({ ok: true })
        return (got, response) =>
          got.url === '/mcp' ? response.writeHead(status, { location }).end() : answer(got, response)
      }
      world.reply = redirect(307, '/mcp/')
      expect((await run.ask(toolCall('a'))).messages).toMatchObject([{ result: { ok: true } }])
      expect(world.got.map(({ url, headers }) => [url, headers.authorization])).toEqual([
        ['/mcp', KEY],
        ['/mcp/', KEY],
      ])
      for (const [status, location] of [
        [307, `${other.url}/mcp`],
        [308, 'http://169.254.169.254/latest'],
        [302, '/mcp/'],
        [307, '/mcp'],
        [307, 'http://['],
      ] as const) {
        world.reply = redirect(status, location)
        expect(errorOf(await run.ask(toolCall('a')))?.message).toMatch(/redirected to another address/)
      }
      expect(elsewhere).toEqual([])
    } finally {
      await other.close()
    }
  })

  test('is sent without headers of the sandbox, whatever the relay passes on', async () => {
    await start()
    const handler = urlServer('docs', { url: world.operatorUrl }, { countRequest: () => true, requestsMax: 1 })
    const headers = {
      authorization: 'Bearer x',
      cookie: 'a=b',
      'x-forwarded-for': '1.2.3.4',
      'mcp-protocol-version': '1',
    }
    const message = request('ping') as unknown as McpMessage
    const call = { run: runName('s1'), method: 'POST', headers, message, isRepeated: false } as const
    await handler({ ...call, signal: new AbortController().signal })
    expect(Object.keys(world.got[0]?.headers ?? {}).sort()).toEqual(
      ['accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'mcp-protocol-version'].sort(),
    )
  })

  test('does not come back in an answer that repeats it', async () => {
    await start()
    const run = await world.run('s1')
    const echo = (got: ReceivedRequest) => ({ seen: got.headers.authorization ?? '', token: KEY.slice(7) })
    const seen = { seen: '[credential]', token: '[credential]' }
    world.reply = (got, response) => jsonReply(echo(got), { 'x-seen': KEY, 'mcp-session-id': KEY })(got, response)
    const whole = await run.ask(toolCall('a'))
    expect(whole.messages).toMatchObject([{ result: seen }])
    expect([...whole.headers].join()).not.toContain('canary')
    world.reply = eventReply((got) => ({ jsonrpc: '2.0', id: got.message?.id, result: echo(got) }))
    expect((await run.ask(toolCall('a'))).messages).toMatchObject([{ result: seen }])
    world.reply = (got, response) => response.writeHead(500).end(JSON.stringify(echo(got)))
    expect((await run.ask(toolCall('a'))).text).not.toContain('canary')
  })

  // The second has a quote, so that JSON must escape it; the last could be a number.
  test.each(['aGVsbG8/d29ybGQ=', 'pass"word"&co', '1234567890'])(
    '[EN44] %j does not come back, however JSON writes it',
    async (secret) => {
      await start({ servers: { docs: { headers: { 'x-key': secret } } } })
      const run = await world.run('s1')
      const escaped = [...secret].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
      const texts = [
        JSON.stringify(secret),
        JSON.stringify(secret).replaceAll('/', '\\/'),
        `"${escaped}"`,
        `{"${escaped}":1}`,
        `["a ${escaped} b"]`,
        ...(secret === '1234567890' ? [secret] : []),
      ]
      const answer = (got: ReceivedRequest) =>
        `{"jsonrpc":"2.0","id":${got.message?.id},"result":{"all":[${texts.join()}]}}`
      const replies: OperatorReply[] = [
        (got, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(answer(got)),
        (got, response) =>
          response
            .writeHead(200, { 'content-type': 'text/event-stream' })
            .end(`id: at ${secret}\ndata: ${answer(got)}\n\n`),
      ]
      const hidden = '[credential]'
      const all = [hidden, hidden, hidden, { [hidden]: 1 }, [`a ${hidden} b`], hidden].slice(0, texts.length)
      for (const reply of replies) {
        world.reply = reply
        expect((await run.ask(toolCall('a'))).messages).toMatchObject([{ result: { all } }])
      }
    },
  )

  test('[EN44] does not come back as the position of an event', async () => {
    await start()
    const run = await world.run('s1')
    world.reply = (_got, response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(['id: 1', `id: ${KEY}`].map((id) => `${id}\ndata: {"jsonrpc":"2.0","method":"n"}\n\n`).join(''))
    const text = await (await fetch(run.url())).text()
    expect(text.match(/^(id|data): .*$/gm)).toEqual([
      'id: 1',
      'data: {"jsonrpc":"2.0","method":"n"}',
      'data: {"jsonrpc":"2.0","method":"n"}',
    ])
  })

  test.each<[string, EngineMcpAddress['headers'], RegExp]>([
    ['throws', () => Promise.reject(new Error('secret-detail')), /could not be created/],
    ['makes a header that HTTP does not take', () => ({ authorization: 'a\nb: c' }), /could not be created/],
    ['makes no headers', (() => null) as never, /could not be created/],
  ])('of a function that %s is one sentence, without the detail', async (_name, headers, message) => {
    await start({ servers: { docs: { headers } } })
    const answer = await (await world.run('s1')).ask(toolCall('a'))
    expect(errorOf(answer)?.message).toMatch(message)
    expect(answer.text).not.toContain('secret-detail')
    expect(world.got).toEqual([])
  })

  test.each([401, 403])(
    'that is refused with %i is one sentence, and no login is begun in the sandbox',
    async (status) => {
      await start()
      world.reply = (_got, response) =>
        response.writeHead(status, { 'www-authenticate': 'Bearer resource_metadata="x"' }).end()
      const answer = await (await world.run('s1')).ask(request('initialize'))
      expect([answer.status, errorOf(answer)?.message]).toEqual([200, 'The MCP server "docs" rejected its credential.'])
      expect(answer.headers.has('www-authenticate')).toBe(false)
    },
  )
})

describe('[EN47] [O151] limits', () => {
  test('a run makes as many requests as the operator allows, and the next are one sentence; other runs have their own', async () => {
    await start({ servers: { docs: { requests: 2 } } })
    const [one, two] = [await world.run('s1'), await world.run('s2')]
    for (const each of [1, 2]) expect(errorOf(await one.ask(toolCall(`t${each}`)))).toBeUndefined()
    expect(errorOf(await one.ask(toolCall('t3')))).toEqual({
      code: -32_029,
      message: 'This run has reached its limit of 2 requests to the MCP server "docs".',
    })
    expect((await one.ask({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(429)
    expect((await one.ask(null, { method: 'DELETE' })).status).toBe(429)
    expect(errorOf(await two.ask(toolCall('t1')))).toBeUndefined()
    expect(world.got).toHaveLength(3)
  })

  test('[EN47] a DELETE counts as a request', async () => {
    await start({ servers: { docs: { requests: 2 } } })
    const run = await world.run('s1')
    world.reply = (_got, response) => response.writeHead(200).end()
    const statuses: number[] = []
    for (let each = 0; each < 3; each += 1) statuses.push((await run.ask(null, { method: 'DELETE' })).status)
    expect([statuses, world.got.length]).toEqual([[200, 200, 429], 2])
  })

  test('a message of more than 16 MB is refused in both directions', async () => {
    await start()
    const run = await world.run('s1')
    const large = 'x'.repeat(16_000_000)
    expect((await run.ask(toolCall('a', { large }))).status).toBe(413)
    expect(world.got).toEqual([])
    for (const reply of [
      jsonReply({ large }),
      eventReply(({ message }) => ({ jsonrpc: '2.0', id: message?.id, result: { large } })),
    ]) {
      world.reply = reply
      expect(errorOf(await run.ask(toolCall('a')))?.message).toMatch(/broke before the answer arrived/)
    }
    world.reply = jsonReply({ ok: true })
    expect((await run.ask(toolCall('a'))).messages).toMatchObject([{ result: { ok: true } }])
  })

  test.each([
    ['at once', false],
    ['as an event', true],
  ])(
    '[EN47] an answer of ours that is too large is one sentence, and not asked for again: %s',
    async (_name, isLate) => {
      let calls = 0
      const late = Promise.withResolvers<void>()
      const handler: McpHandler = async ({ message }) => {
        calls += 1
        if (isLate) await late.promise
        return { status: 200, message: resultOf(Number(message?.id), { large: 'x'.repeat(16_000_000) }) as McpMessage }
      }
      await start({ handlers: { bridle: handler }, ...(isLate && { commentMs: 5 }) })
      const run = await world.run('s1')
      const asked = run.ask(toolCall('a'), { server: 'bridle' })
      if (isLate) setTimeout(late.resolve, 30)
      expect(errorOf(await asked)?.message).toMatch(/^The answer has more than 16000000 bytes\./)
      expect(calls).toBe(1)
    },
  )

  test('[EN70] a run has at most 32 requests under way, the next get an error with their id, and one that leaves makes room', async () => {
    await start()
    const [one, two] = [await world.run('s1'), await world.run('s2')]
    const leaving = new AbortController()
    world.reply = () => {}
    const asked = Array.from({ length: 32 }, () =>
      one.ask(toolCall('hang'), { signal: leaving.signal }).catch(() => null),
    )
    await expect.poll(() => world.got.length).toBe(32)
    const message = 'A run may have 32 requests and 67108864 bytes under way. Try again when one has ended.'
    const next = toolCall('a')
    const refused = { jsonrpc: '2.0', id: next.id, error: { code: -32_000, message } }
    const answer = await one.ask(next)
    expect([answer.status, answer.messages]).toEqual([200, [refused]])
    // The proxy counts for itself.
    const { token } = world.proxy.grantMcp(one.name, () => ({}))
    const post = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(next) }
    expect(await (await fetch(`${world.proxy.url}/mcp/docs`, post)).json()).toEqual(refused)
    for (const other of [
      { jsonrpc: '2.0', method: 'notifications/x' },
      toolCall('a', { large: 'x'.repeat(70_000) }),
      null,
    ])
      expect((await one.ask(other)).status).toBe(429)
    world.reply = jsonReply({ ok: true })
    expect((await two.ask(toolCall('a'))).status).toBe(200)
    leaving.abort()
    await Promise.all(asked)
    await expect.poll(async () => errorOf(await one.ask(toolCall('a')))).toBeUndefined()
  })

  test.each<[string, string, number]>([
    ['no JSON', '{', 400],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400],
    [
      'a message of 5,000 levels',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      400,
    ],
  ])('%s is refused', async (_name, body, status) => {
    await start()
    const answer = await (await world.run('s1')).ask(null, { method: 'POST', body })
    expect([answer.status, world.got]).toEqual([status, []])
  })

  test('other methods, paths and servers are refused', async () => {
    await start()
    const run = await world.run('s1')
    expect((await run.ask(null, { method: 'PUT' })).status).toBe(405)
    expect((await run.ask(request('ping'), { server: 'others' })).status).toBe(404)
    expect((await run.ask(request('ping'), { server: 'docs/more' })).status).toBe(404)
    expect((await run.ask(request('ping'), { server: '..%2f..%2fanthropic' })).status).toBe(404)
    expect(world.got).toEqual([])
  })

  test.each<[string, OperatorReply, RegExp]>([
    [
      'answers with a page',
      (_got, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      /sent an invalid answer/,
    ],
    ['answers 500', (_got, response) => response.writeHead(500).end('oops'), /answered with status 500/],
    [
      'breaks the connection',
      (_got, response) => response.destroy(),
      /cannot be reached from this server \(ECONNRESET\)/,
    ],
    [
      'ends its stream without the answer',
      (_got, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {}\n\n'),
      /broke before the answer arrived/,
    ],
  ])('a server that %s is one sentence', async (_name, reply, message) => {
    await start()
    world.reply = reply
    const answer = await (await world.run('s1')).ask(toolCall('a'))
    expect([answer.status, errorOf(answer)?.message]).toEqual([200, expect.stringMatching(message)])
  })

  test('a server that is not there, or hangs in its first answer, is one sentence', async () => {
    await start({ servers: { docs: { url: 'http://127.0.0.1:1/mcp' } } })
    const gone = await (await world.run('s1')).ask(request('initialize'))
    expect(errorOf(gone)?.message).toBe('The MCP server "docs" cannot be reached from this server (ECONNREFUSED).')
    const hangs = await listening(() => {})
    try {
      const handler = urlServer(
        'docs',
        { url: hangs.url },
        { countRequest: () => true, requestsMax: 1, initializeMs: 20 },
      )
      const message = request('server/discover') as unknown as McpMessage
      const call = { run: runName('s1'), method: 'POST', headers: {}, message, isRepeated: false } as const
      expect(await handler({ ...call, signal: new AbortController().signal })).toMatchObject({
        message: { error: { message: 'The MCP server "docs" did not answer in time.' } },
      })
    } finally {
      await hangs.close()
    }
  })
})

describe('[EN53] include and exclude', () => {
  const tools = ['read_page', 'read_page', 'write_page', 'delete_page', 7].map((name) => ({ name, inputSchema: {} }))
  const terms = { include: ['*_page'], exclude: ['delete_*'] }

  test.each<[string, OperatorReply]>([
    ['a JSON answer', jsonReply({ tools, nextCursor: 'c' })],
    [
      'a stream',
      eventReply(({ message }) => ({ jsonrpc: '2.0', id: message?.id, result: { tools, nextCursor: 'c' } })),
    ],
  ])('choose the tools that the engine sees, in %s', async (_name, reply) => {
    await start({ servers: { docs: terms } })
    world.reply = reply
    const [answer] = (await (await world.run('s1')).ask(request('tools/list'))).messages
    expect(answer).toMatchObject({
      result: { tools: [{ name: 'read_page' }, { name: 'write_page' }], nextCursor: 'c' },
    })
  })

  test('a tool that is left out cannot be called', async () => {
    await start({ servers: { docs: terms } })
    const run = await world.run('s1')
    for (const tool of ['delete_page', 'other']) expect(errorOf(await run.ask(toolCall(tool)))?.code).toBe(-32_602)
    expect(world.got).toEqual([])
    expect(errorOf(await run.ask(toolCall('read_page')))).toBeUndefined()
  })
})
