// A harness inside apps that have routes of their own: a plain `node:http` server, and one that speaks `fetch` alone.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { agent } from '@bridle/agents/agent'
import { bearer, get, isIdle, post, readFrames, typesOf } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, describe, expect, test } from 'vitest'
import { hasEvent, openTestSocket, upgradeAnswer } from '../tests/socket-client.suite.ts'
import { createHarness, type EmbeddedHarness, type EmbeddedHarnessOptions, HarnessServer } from './index.ts'

const ending: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of ending.reverse()) await end()
})

const greet = agent({
  name: 'greet',
  run: async ({ input, session }) => {
    const { prompt } = input as { prompt: string }
    if (prompt !== 'ask') return session.text(`Hello, ${prompt}!`)
    const { args } = await session.approval({ subject: 'send', args: { to: 'all' }, reason: 'It sends a letter.' })
    return session.text(`Sent to ${String(args.to)}.`)
  },
})

const embed = async (options: EmbeddedHarnessOptions = {}): Promise<EmbeddedHarness> => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-embedded-'))
  const harness = await createHarness({ agents: [greet], data, env: {}, tokenPaceMs: 0, log: () => {}, ...options })
  ending.push(async () => {
    await harness.close()
    rmSync(data, { recursive: true, force: true })
  })
  return harness
}

const listenOn = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ending.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An app with one route of its own. */
const serveWith = (harness: EmbeddedHarness): Promise<string> => {
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/own') return outgoing.end(JSON.stringify({ own: true }))
    return void harness.handle(incoming, outgoing)
  })
  server.on('upgrade', (incoming, socket, head) => {
    if (!harness.upgrade(incoming, socket, head)) socket.end('HTTP/1.1 418 Mine\r\ncontent-length: 2\r\n\r\n{}')
  })
  return listenOn(server)
}

/** The login of the app: the name in a cookie. */
const signIn = (name: string) => ({ cookie: `user=${name}` })
const authenticate: NonNullable<EmbeddedHarnessOptions['authenticate']> = (request) => {
  const user = /user=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1]
  return user === undefined ? null : { user, ...(user === 'guest' && { scopes: ['observe'] }) }
}

describe('[O90] beside routes of an app, below a path', () => {
  test('three users with two threads each, their streams, a socket and an approval', async () => {
    const url = await serveWith(await embed({ basePath: '/bridle/', authenticate }))
    expect(await get(`${url}/own`)).toEqual({ status: 200, body: { own: true } })
    const users = ['ada', 'bo', 'cy']
    const threads = users.flatMap((user) => [1, 2].map((number) => ({ user, id: `${user}-${number}` })))
    const answers = await Promise.all(
      threads.map(({ user, id }) => post(`${url}/bridle/agents/greet/${id}`, { prompt: id }, signIn(user))),
    )
    expect(answers.map(({ body }) => body.result)).toEqual(threads.map(({ id }) => `Hello, ${id}!`))
    for (const { user, id } of threads) {
      const frames = await readFrames(`${url}/bridle/agents/greet/${id}/stream`, isIdle, signIn(user))
      expect(typesOf(frames)).toEqual(['prompt_start', 'text_delta', 'result', 'idle'])
      const stranger = users.find((each) => each !== user) ?? ''
      expect((await get(`${url}/bridle/sessions/${id}`, signIn(stranger))).status).toBe(404)
    }
    const lists = await Promise.all(users.map((user) => get(`${url}/bridle/sessions`, signIn(user))))
    expect(lists.map(({ body }) => (body.sessions as { id: string }[]).map(({ id }) => id).sort())).toEqual(
      users.map((user) => [`${user}-1`, `${user}-2`]),
    )

    const asked = post(`${url}/bridle/agents/greet/ada-1`, { prompt: 'ask' }, signIn('ada'))
    const socket = await openTestSocket(`${url}/bridle/sessions/ada-1/ws`, { headers: signIn('ada') })
    const seen = await socket.until(hasEvent('approval_requested'))
    const { data } = seen.flatMap((message) =>
      message.type === 'event' && message.event.type === 'approval_requested' ? [message.event] : [],
    )[0] as { data: { approvalId: string } }
    const approval = `${url}/bridle/sessions/ada-1/approvals/${data.approvalId}/approve`
    expect((await post(approval, {}, signIn('bo'))).status).toBe(404)
    expect((await post(approval, { args: { to: 'Bo' } }, signIn('ada'))).status).toBe(200)
    expect((await asked).body.result).toBe('Sent to Bo.')
    socket.ws.close()
  })

  test('a path elsewhere is not for it: requests go to the next handler, sockets stay untouched', async () => {
    const harness = await embed({ basePath: '/bridle', token: 't' })
    const url = await serveWith(harness)
    expect(await get(`${url}/sessions`, bearer('t'))).toMatchObject({
      status: 404,
      body: { error: 'Not found', message: 'This harness is served below /bridle.' },
    })
    expect((await upgradeAnswer(`${url}/sessions/x/ws`, { headers: bearer('t') })).status).toBe(418)
    expect((await upgradeAnswer(`${url}/bridlesessions/x/ws`, { headers: bearer('t') })).status).toBe(418)
    const asked: string[] = []
    const next = await listenOn(
      createServer(
        (incoming, outgoing) =>
          void harness.handle(incoming, outgoing, () => {
            asked.push(incoming.url ?? '')
            outgoing.end('{}')
          }),
      ),
    )
    await get(`${next}/elsewhere`)
    expect((await get(`${next}/bridle/sessions?limit=1`, bearer('t'))).status).toBe(200)
    expect(asked).toEqual(['/elsewhere'])
  })

  test('links in answers have the path, and the one of a proxy before it', async () => {
    const harness = await embed({ basePath: '/bridle', token: 't' })
    const ask = (headers: Record<string, string> = {}) =>
      harness.fetch(
        new Request('http://app.example/bridle/agents/greet/x', {
          method: 'POST',
          headers: { ...bearer('t'), prefer: 'respond-async', ...headers },
          body: '{"prompt":"Ada"}',
        }),
      )
    expect((await ask()).headers.get('location')).toMatch(/^\/bridle\/sessions\/x\/runs\//)
    expect((await ask({ 'x-forwarded-prefix': '/outer' })).headers.get('location')).toMatch(
      /^\/outer\/bridle\/sessions\/x\/runs\//,
    )
    const root = await harness.fetch(new Request('http://app.example/bridle', { headers: bearer('t') }))
    expect([root.status, root.headers.get('location')]).toEqual([302, '/bridle/docs'])
    expect(await (await ask()).json()).toMatchObject({ agentPath: '/bridle/agents/greet/x' })
    const { agentPath } = (await (await ask({ prefer: '' })).json()) as { agentPath: string }
    expect(agentPath).toBe('/bridle/agents/greet/x')
    const followed = await harness.fetch(new Request(`http://app.example${agentPath}`, { headers: bearer('t') }))
    expect(followed.status).toBe(200)
  })

  test('the log names the address that was asked for', async () => {
    const urls: unknown[] = []
    const harness = await embed({
      basePath: '/bridle',
      token: 't',
      log: (_level, _message, { url } = {}) => urls.push(url),
    })
    const url = await serveWith(harness)
    await get(`${url}/bridle/sessions?limit=1&token=t`)
    await upgradeAnswer(`${url}/bridle/sessions/x/ws?ticket=none`, { headers: bearer('t') })
    expect(urls).toEqual([`${url}/bridle/sessions?limit=1&token=…`, `${url}/bridle/sessions/x/ws?ticket=…`])
  })

  test.each(['bridle', '/a b', '/../x', '/a//b', 'https://x'])('%j is no path', async (basePath) => {
    await expect(embed({ basePath })).rejects.toMatchObject({ code: 'base_path_invalid' })
  })
})

test.each([
  ['no list', greet, 'agents is not a list. Write: agents: [agent({ name, run })].'],
  ['undefined in the list', [undefined], 'An entry of agents is undefined. Write: agents: [agent({ name, run })].'],
])('agents: %s', async (_name, agents, message) => {
  await expect(embed({ agents: agents as never })).rejects.toMatchObject({ code: 'agent_invalid', message })
})

test.each<[options: object, message: string]>([
  [{ autenticate: () => null }, 'there is no "autenticate". Did you mean "authenticate"?'],
  [{ basepath: '/bridle' }, 'there is no "basepath". Did you mean "basePath"?'],
  [{ tokns: [] }, 'there is no "tokns". Did you mean "tokens"?'],
  [{ port: 3000 }, 'there is no "port".'],
  [{ tokens: [{ token: 't', tenant: ['acme'] }] }, 'there is no "tokens[0].tenant". Did you mean "tokens[0].tenants"?'],
  [{ socketRate: { windowMs: 1, maxMesages: 1 } }, '"socketRate.maxMesages". Did you mean "socketRate.maxMessages"?'],
  // The budget would be lost with the name.
  [{ engines: { claud: { max_budget_usd: 2 } } }, 'there is no "engines.claud". Did you mean "engines.claude"?'],
])('[O137] a misspelt option is refused: %j', async (options, message) => {
  await expect(embed(options)).rejects.toMatchObject({
    code: 'option_invalid',
    message: expect.stringMatching(/^createHarness: there is no /),
  })
  await expect(embed(options)).rejects.toThrow(message)
})

test.each<[options: object, message: string]>([
  // Every part of the text would be an allowed origin.
  [{ allowedOrigins: 'https://app.example' }, 'createHarness: "allowedOrigins" must be a list.'],
  [{ data: 5 }, 'createHarness: "data" must be a text.'],
  [{ tokens: [{ token: 't', scopes: ['admin'] }] }, 'createHarness: "tokens[0].scopes" must be a list of'],
  // Every request would be one too many.
  [
    { rateLimit: { windowMs: 60_000 } },
    'createHarness: "rateLimit.maxRequests" is missing: it must be a finite number above 0.',
  ],
  [
    { authBackOff: { maxFailures: 3 } },
    'createHarness: "authBackOff.windowMs" is missing: it must be a finite number above 0.',
  ],
  [
    { socketRate: { windowMs: 1, maxMessages: -1 } },
    'createHarness: "socketRate.maxMessages" must be a finite number above 0.',
  ],
  [
    { engines: { claude: { max_budget_usd: -1 } } },
    'createHarness: "engines.claude.max_budget_usd" must be a number, 0 or more.',
  ],
])('[O137] a value of a wrong kind is refused: %j', async (options, message) => {
  await expect(embed(options)).rejects.toMatchObject({
    code: 'option_invalid',
    message: expect.stringContaining(message),
  })
})

test.each<[options: object, message: string]>([
  [
    { bridle: { url: 'https://x' } },
    'engines.claude: the MCP server "bridle": its name is reserved for your own tools.',
  ],
  [
    { docs: { url: 'x' } },
    'engines.claude: the MCP server "docs": the url of "docs" does not begin with http:// or https://.',
  ],
])('[EN41] a wrong MCP server of an engine is refused: %j', async (mcp, message) => {
  await expect(embed({ engines: { claude: { mcp } } } as never)).rejects.toMatchObject({
    code: 'option_invalid',
    message: expect.stringContaining(message),
  })
})

test('[O137] HarnessServer.start refuses a misspelt option too', async () => {
  await expect(HarnessServer.start({ port: 0, autenticate: () => null } as object)).rejects.toMatchObject({
    code: 'option_invalid',
    message: 'HarnessServer.start: there is no "autenticate". Did you mean "authenticate"?',
  })
})

test('[O90] as Express mounts it: the path is gone from the url, and a parser has read the body', async () => {
  const harness = await embed({ basePath: '/bridle', token: 't' })
  const url = await listenOn(
    createServer(async (incoming, outgoing) => {
      const { url: originalUrl = '' } = incoming
      let text = ''
      for await (const chunk of incoming) text += chunk
      Object.assign(incoming, { originalUrl, baseUrl: '/bridle', url: originalUrl.replace('/bridle', '') || '/' })
      Object.assign(incoming, { body: text === '' ? undefined : JSON.parse(text) })
      await harness.handle(incoming, outgoing, () => outgoing.writeHead(404).end('{}'))
    }),
  )
  const answer = await post(`${url}/bridle/agents/greet/x`, { prompt: 'Ada' }, bearer('t'))
  expect(answer).toMatchObject({ status: 200, body: { result: 'Hello, Ada!' } })
  const frames = await readFrames(`${url}/bridle/agents/greet/x/stream`, isIdle, bearer('t'))
  expect(typesOf(frames).at(-1)).toBe('idle')
  expect((await get(`${url}/bridle?x=1`, bearer('t')).catch(() => ({ status: 0 }))).status).not.toBe(500)
})

describe('[O91] without a credential', () => {
  test('callers of this machine are let in; others and unknown ones are not', async () => {
    const harness = await embed()
    const url = await serveWith(harness)
    expect((await post(`${url}/agents/greet/x`, { prompt: 'Ada' })).body.result).toBe('Hello, Ada!')
    const request = () => new Request('http://localhost/sessions')
    expect((await harness.fetch(request())).status).toBe(403)
    const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } as IncomingMessage })
    expect((await harness.fetch(request(), from('192.0.2.7'))).status).toBe(403)
    expect((await harness.fetch(request(), from('::ffff:127.0.0.1'))).status).toBe(200)
    expect(
      (
        await harness.fetch(
          new Request('http://evil.example/sessions', { headers: { host: 'evil.example' } }),
          from('127.0.0.1'),
        )
      ).status,
    ).toBe(403)
  })
})

test('[O91] a stranger who is refused a socket and breaks the connection does not end the app', async () => {
  const harness = await embed()
  for (const url of ['/sessions/x/ws', '/ws?agent=greet', '/elsewhere']) {
    const socket = new PassThrough()
    const incoming = { url, headers: {}, socket: { remoteAddress: '192.0.2.7' } } as unknown as IncomingMessage
    expect(harness.upgrade(incoming, socket, Buffer.alloc(0))).toBe(true)
    // Without a listener this throws here, and in a server it would be an error that nobody catches.
    socket.emit('error', new Error('ECONNRESET'))
    expect(socket.destroyed).toBe(true)
  }
})

describe('[O92] agents', () => {
  test('only those that it was given are served, and production exposes them', async () => {
    const harness = await embed({ token: 't', env: { NODE_ENV: 'production' } })
    const ask = (path: string, body?: unknown) =>
      harness.fetch(
        new Request(`http://app.example${path}`, {
          headers: bearer('t'),
          ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        }),
      )
    const { agents } = (await (await ask('/ready')).json()) as { agents: { name: string }[] }
    expect(agents.map(({ name }) => name)).toEqual(['greet'])
    expect((await ask('/agents/scripted/x', { prompt: 'Hi' })).status).toBe(404)
    expect((await ask('/agents/greet/x', { prompt: 'Ada' })).status).toBe(200)
    const session = (await (await ask('/chat/sessions', {})).json()) as { agent?: string }
    expect(JSON.stringify(session)).toContain('greet')
  })

  test('agents of the package are served by name; a wrong name is refused', async () => {
    const harness = await embed({ token: 't', builtInAgents: ['scripted'] })
    const ready = await harness.fetch(new Request('http://app.example/ready', { headers: bearer('t') }))
    expect(JSON.stringify(await ready.json())).toContain('"scripted"')
    await expect(embed({ builtInAgents: ['clod'] })).rejects.toThrow('builtInAgents names "clod"')
  })
})

describe('[O93] bodies', () => {
  /** An app whose parser reads every body first, as `express.json()` does. */
  const parsing = async (parse: (text: string) => unknown) => {
    const harness = await embed({ token: 't', maxBodyBytes: 1_000 })
    return listenOn(
      createServer(async (incoming, outgoing) => {
        let text = ''
        for await (const chunk of incoming) text += chunk
        Object.assign(incoming, { body: parse(text) })
        await harness.handle(incoming, outgoing)
      }),
    )
  }

  test('a body that a parser has read is taken from it', async () => {
    const url = await parsing(JSON.parse)
    expect((await post(`${url}/agents/greet/x`, { prompt: 'Ada' }, bearer('t'))).body.result).toBe('Hello, Ada!')
    const large = await post(`${url}/agents/greet/x`, { prompt: 'a'.repeat(2_000) }, bearer('t'))
    expect(large.status).toBe(413)
  })

  test('a body that is gone is said', async () => {
    const url = await parsing(() => undefined)
    const lost = await post(`${url}/agents/greet/x`, { prompt: 'Ada' }, bearer('t'))
    expect([lost.status, JSON.stringify(lost.body)]).toEqual([500, expect.stringContaining('before the parser')])
  })
})

test('[O41] a second harness on a data folder says who has the folder, and what to do', async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-embedded-'))
  await embed({ data })
  await expect(embed({ data })).rejects.toMatchObject({
    code: 'in_use',
    message: `${data} is in use by another harness of this process. Close that one first, or choose another folder with the setting data (--data).`,
  })
})

test('[O94] a harness that closes asks clients to reconnect, and its data serves the next one', async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-embedded-'))
  const first = await embed({ data, token: 't' })
  const url = await serveWith(first)
  await post(`${url}/agents/greet/x`, { prompt: 'Ada' }, bearer('t'))
  const socket = await openTestSocket(`${url}/sessions/x/ws`, { headers: bearer('t') })
  await Promise.all([first.close(), first.close()])
  expect(await socket.closed).toMatchObject({ code: 1012 })
  const second = await embed({ data, token: 't' })
  const session = await second.fetch(new Request('http://app.example/sessions/x', { headers: bearer('t') }))
  expect(session.status).toBe(200)
  await second.close()
  rmSync(data, { recursive: true, force: true })
})
