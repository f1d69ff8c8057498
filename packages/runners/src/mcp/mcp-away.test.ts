// Requests to MCP servers that wait: for a slow server, for a person, and for the next process of ours.
import { text as readText } from 'node:stream/consumers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createRelay, type RelayedRun } from '../server/relay.ts'
import type { McpHandler, McpRequest } from './handler.ts'
import {
  jsonReply,
  listening,
  McpWorld,
  type McpWorldOptions,
  type OperatorReply,
  request,
  toolCall,
} from './mcp-world.suite.ts'
import type { McpMessage } from './messages.ts'

let world: McpWorld
const start = async (options: McpWorldOptions = {}) => {
  world = await McpWorld.start(options)
  return world
}
afterEach(async () => {
  await world.close()
})
const errorOf = ({ messages }: { messages: readonly object[] }) =>
  (messages.at(-1) as { error?: { message: string } }).error

/** The bytes of an answer as they arrive. */
const reading = async (url: string, message: object | null) => {
  const response = await fetch(url, message === null ? {} : { method: 'POST', body: JSON.stringify(message) })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  return { response, next: async () => (await reader?.read())?.value ?? null }
}

describe('[EN48] a request that waits', () => {
  test('becomes a stream with a comment now and then, and its answer the last event', async () => {
    const answer = Promise.withResolvers<McpMessage>()
    const handler: McpHandler = async () => ({ status: 200, message: await answer.promise })
    await start({ handlers: { bridle: handler }, commentMs: 5 })
    const run = await world.run('s1')
    const message = toolCall('deploy')
    // The proxy begins the stream, and the relay passes it on.
    const { response, next } = await reading(run.url('bridle'), message)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    answer.resolve({ jsonrpc: '2.0', id: message.id, result: { done: true } } as McpMessage)
    expect(await next()).toBe(`event: message\ndata: {"jsonrpc":"2.0","id":${message.id},"result":{"done":true}}\n\n`)
    expect(await next()).toBeNull()
  })

  test('the relay keeps the engine’s connection alive by itself', async () => {
    const answer = Promise.withResolvers<McpMessage>()
    await start()
    const run = await world.run('s1', true, 5)
    world.reply = async (got, response) => jsonReply(await answer.promise)(got, response)
    const { response, next } = await reading(run.url(), toolCall('slow'))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await next()).toMatch(/^(: waiting\n\n)+$/)
    answer.resolve({ ok: true } as never)
    for (let text = await next(); ; text = await next())
      if (text?.includes('"ok":true')) break
      else expect(text).toMatch(/^(: waiting\n\n)+$/)
  })

  test('a refusal that comes late is an event, since the status is sent', async () => {
    const late = Promise.withResolvers<void>()
    const handler: McpHandler = async () => {
      await late.promise
      return { status: 404 }
    }
    await start({ handlers: { bridle: handler }, commentMs: 5 })
    const run = await world.run('s1')
    const { next } = await reading(run.url('bridle'), toolCall('a'))
    late.resolve()
    expect(await next()).toContain('answered with status 404')
  })

  test('the run’s end aborts it', async () => {
    const calls: McpRequest[] = []
    const handler: McpHandler = (call) => {
      calls.push(call)
      return new Promise(() => {})
    }
    await start({ handlers: { bridle: handler } })
    const run = await world.run('s1')
    const asked = run.ask(toolCall('a'), { server: 'bridle' }).catch(() => null)
    await expect.poll(() => calls.length).toBe(1)
    const aborted = new Promise((resolve) => calls[0]?.signal.addEventListener('abort', resolve))
    run.end()
    await aborted
    await asked
  })
})

describe('[EN49] the server is killed', () => {
  test('a request that did not arrive waits for the next process, for each of three runs', async () => {
    await start()
    const runs = await Promise.all(['s1', 's2', 's3'].map((id) => world.run(id)))
    await world.killServer()
    const asked = runs.map((run) => run.ask(toolCall('a')))
    await world.startServer()
    expect((await Promise.all(asked)).map(({ messages }) => messages)).toMatchObject(
      Array(3).fill([{ result: { ok: true } }]),
    )
    expect(world.got.map(({ headers }) => headers['x-bridle-repeated'])).toEqual([undefined, undefined, undefined])
  })

  test.each([
    ['before the answer begins', false],
    ['in the middle of a stream', true],
  ])('a call that may have happened is not made again: %s', async (_name, isStream) => {
    await start()
    const run = await world.run('s1')
    const arrived = Promise.withResolvers<void>()
    world.reply = (_got, response) => {
      if (isStream) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n')
      }
      arrived.resolve()
    }
    const asked = run.ask(toolCall('pay'))
    await arrived.promise
    await world.killServer()
    await world.startServer()
    expect(errorOf(await asked)?.message).toMatch(/restarted .* unknown whether it happened/)
    expect(world.got).toHaveLength(1)
  })

  test.each([
    ['null', { id: null }],
    ['true', { id: true }],
    ['none', {}],
  ])('[EN49] a call is not made again if its id is %s', async (_name, id) => {
    await start()
    const run = await world.run('s1')
    const arrived = Promise.withResolvers<void>()
    world.reply = () => arrived.resolve()
    const asked = run.ask({ jsonrpc: '2.0', ...id, method: 'tools/call', params: { name: 'pay', arguments: {} } })
    await arrived.promise
    await world.killServer()
    world.reply = jsonReply({ ok: true })
    await world.startServer()
    const answer = await asked
    expect([answer.status, errorOf(answer)?.message, world.got.length]).toEqual([
      502,
      expect.stringMatching(/restarted .* unknown whether it happened/),
      1,
    ])
  })

  test('a request that changes nothing is made again', async () => {
    await start()
    const run = await world.run('s1')
    const arrived = Promise.withResolvers<void>()
    world.reply = () => arrived.resolve()
    const asked = run.ask(request('tools/list'))
    await arrived.promise
    await world.killServer()
    world.reply = jsonReply({ tools: [] })
    await world.startServer()
    expect((await asked).messages).toMatchObject([{ result: { tools: [] } }])
    expect(world.got).toHaveLength(2)
  })

  test('a server of ours gets the request again with a mark, also in the middle of a stream', async () => {
    const calls: boolean[] = []
    const handler: McpHandler = async ({ isRepeated, message, signal }) => {
      calls.push(isRepeated)
      if (!isRepeated) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { status: 200, message: { jsonrpc: '2.0', id: message?.id, result: { isRepeated } } as McpMessage }
    }
    await start({ handlers: { bridle: handler }, commentMs: 5 })
    const run = await world.run('s1')
    const { next } = await reading(run.url('bridle'), toolCall('deploy'))
    await world.killServer()
    await world.startServer()
    let text = ''
    for (let part = await next(); part !== null; part = await next()) text += part
    expect([calls, text]).toEqual([[false, true], expect.stringContaining('"isRepeated":true')])
  })

  test('a stream of the server’s own messages continues behind the last event', async () => {
    await start()
    const run = await world.run('s1')
    const event = (id: number) => `id: ${id}\ndata: {"jsonrpc":"2.0","method":"n${id}"}\n\n`
    world.reply = (got, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return got.headers['last-event-id'] === '1' ? response.end(event(2)) : response.write(event(1))
    }
    const { next } = await reading(run.url(), null)
    expect(await next()).toContain('"n1"')
    await world.killServer()
    await world.startServer()
    expect(await next()).toContain('"n2"')
    expect(await next()).toBeNull()
  })

  test('[EN46] a run that ends while its server is away is refused', async () => {
    await start()
    const run = await world.run('s1')
    await world.killServer()
    const asked = run.ask(toolCall('a'))
    run.end()
    expect(errorOf(await asked)?.message).toBe('The run has ended.')
    await world.startServer()
  })

  test('a server that is away for too long is one sentence', async () => {
    await start()
    const run = await world.run('s1', false)
    await world.killServer()
    expect(errorOf(await run.ask(toolCall('a')))?.message).toMatch(/cannot be reached/)
    await world.startServer()
  })

  test('[R39] the 502 of a gateway, and a server that does not know its runs yet, are waited for', async () => {
    await start()
    const seen: unknown[] = []
    const answers: OperatorReply[] = [
      (_got, response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<p>'),
      (_got, response) => response.writeHead(403, { 'content-type': 'application/json' }).end('{}'),
      jsonReply({ ok: true }),
    ]
    const gateway = await listening(async (incoming, response) => {
      const message = JSON.parse(await readText(incoming)) as McpMessage
      seen.push(incoming.headers['x-bridle-repeated'])
      return answers.shift()?.({ method: 'POST', url: '', headers: incoming.headers, message }, response)
    })
    const run: RelayedRun = { mcpPart: 'part', mcpServers: ['docs'] }
    const relay = createRelay({
      vars: () => ({ BRIDLE_MCP_URL: gateway.url, BRIDLE_MCP_TOKEN: 't' }),
      activeRun: () => run,
      onStatus: () => {},
      onMcpUnreachable: () => 'wait',
    })
    try {
      const url = relay.mcpUrl('part', 'docs', await relay.listen())
      const answer = await fetch(url, { method: 'POST', body: JSON.stringify(toolCall('a')) })
      expect(await answer.json()).toMatchObject({ result: { ok: true } })
      // The gateway may have passed the first one on.
      expect(seen).toEqual([undefined, '1', '1'])
    } finally {
      await relay.close()
      await gateway.close()
    }
  })

  describe('[EN49] [R39] a 403 after the server was away', () => {
    const unknown: OperatorReply = (_got, response) =>
      response.writeHead(403, { 'content-type': 'application/json' }).end('{}')
    const away: OperatorReply = (_got, response) => response.destroy()
    const known = jsonReply({ ok: true })

    /** Each answer comes after so many milliseconds. */
    test.each<[string, readonly (readonly [number, OperatorReply])[], number]>([
      [
        'is waited for, however long it was away',
        [
          [0, away],
          [60_000, unknown],
          [5_000, known],
        ],
        200,
      ],
      [
        'is waited for again after it was away again',
        [
          [0, away],
          [0, unknown],
          [8_000, away],
          [8_000, unknown],
          [8_000, known],
        ],
        200,
      ],
      [
        'is passed on after ten seconds',
        [
          [0, away],
          [60_000, unknown],
          [11_000, unknown],
        ],
        403,
      ],
    ])('%s', async (_name, steps, expected) => {
      await start()
      const rest = [...steps]
      let now = Date.now()
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => now)
      const server = await listening(async (incoming, response) => {
        const message = JSON.parse(await readText(incoming)) as McpMessage
        const [ms, reply] = rest.shift() ?? [0, unknown]
        now += ms
        return reply({ method: 'POST', url: '', headers: incoming.headers, message }, response)
      })
      const run: RelayedRun = { mcpPart: 'part', mcpServers: ['docs'] }
      const relay = createRelay({
        vars: () => ({ BRIDLE_MCP_URL: server.url, BRIDLE_MCP_TOKEN: 't' }),
        activeRun: () => run,
        onStatus: () => {},
        onMcpUnreachable: () => 'wait',
      })
      try {
        const url = relay.mcpUrl('part', 'docs', await relay.listen())
        const answer = await fetch(url, { method: 'POST', body: JSON.stringify(toolCall('a')) })
        expect([answer.status, rest.length]).toEqual([expected, 0])
      } finally {
        clock.mockRestore()
        await relay.close()
        await server.close()
      }
    })
  })
})
