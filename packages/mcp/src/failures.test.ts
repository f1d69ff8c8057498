// Servers behind an address that hang, flood, change, die or forget: typed outcomes, and the next turn goes on.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyOf, LoopWorld } from '@bridle/agents/loop/loop.suite'
import { expect, test, vi } from 'vitest'
import { startHttpFixture } from './http-fixture.suite.ts'
import { mcp } from './mcp.ts'
import { ask, callerAgent, eventually, lastOutcome } from './mcp-world.suite.ts'

const keys = [keyOf('a'), keyOf('b'), keyOf('c')]

test.each([
  ['silent', /60000 ms are over/],
  ['refusing', /MCP server "docs": The server refused: .*No\./],
  ['many', /more than 1000 tools. Name those .* in include/],
  ['endless', /more than 1000 tools/],
] as const)(
  '[N140] [N141] a server that is %s fails the run with a reason, and nothing is left open',
  async (mode, message) => {
    await using server = await startHttpFixture(mode)
    const it = new LoopWorld(callerAgent([mcp({ name: 'docs', url: server.url }, { idleMs: 0 })]))
    await it.submit('docs_echo {"text":"a"}')
    if (mode === 'silent') {
      await eventually(() => expect(server.requests.length).toBe(1))
      await it.clock.pass(60_001)
    }
    await eventually(async () => expect(await it.payloads('error')).toHaveLength(1))
    expect((await it.payloads('error'))[0]).toMatchObject({
      reason: 'tool_source_failed',
      message: expect.stringMatching(message),
    })
  },
)

test('[N140] nobody listens at the address', async () => {
  const server = await startHttpFixture()
  await server[Symbol.asyncDispose]()
  const it = new LoopWorld(callerAgent([mcp({ name: 'docs', url: server.url })]))
  await it.submit('docs_echo')
  await eventually(async () => expect(await it.payloads('error')).toHaveLength(1))
  expect((await it.payloads('error'))[0]).toMatchObject({
    reason: 'tool_source_failed',
    message: expect.stringContaining('does not answer: ECONNREFUSED. Is it started, and is its url right?'),
  })
})

test.each([
  ['die', 'mcp_connection_lost'],
  ['flood', 'mcp_flood'],
  ['broken', 'mcp_bad_message'],
  ['odd', 'mcp_bad_message'],
])(
  '[N140] [N141] a server that answers a call with %s: the outcome says so, and other sessions go on',
  async (tool, reason) => {
    await using server = await startHttpFixture()
    const it = new LoopWorld(callerAgent([mcp({ name: 'docs', url: server.url }, { idleMs: 0 })]))
    for (const key of keys.slice(1)) {
      await ask(it, `docs_${tool}`, key)
      expect(await lastOutcome(it, key)).toMatchObject({ status: 'error', reason })
    }
    for (const key of keys) expect(await ask(it, `docs_echo {"text":"${key.id}"}`, key)).toBe(key.id)
  },
)

test('[N140] a call that takes too long is cancelled on the server, and the next one has a new connection', async () => {
  await using server = await startHttpFixture()
  const source = mcp({ name: 'docs', url: server.url }, { timeoutMs: 5_000 })
  const it = new LoopWorld(callerAgent([source]))
  const busy = () => [...server.sessions.values()].map(({ calls }) => calls)
  await it.submit('docs_slow', keys[0])
  await eventually(() => expect(busy()).toEqual([1]))
  await it.clock.pass(5_001)
  await eventually(async () => expect(await lastOutcome(it, keys[0])).toMatchObject({ status: 'timeout' }))
  const [first] = server.sessions.values()
  await eventually(() => expect(first?.log.at(-1)?.method).toBe('notifications/cancelled'))
  expect(first?.log.at(-1)?.params).toMatchObject({ requestId: first?.log.at(-2)?.id })
  for (const key of keys.slice(1)) expect(await ask(it, 'docs_count', key)).toMatch(/^[12]$/)
  expect(busy()).toEqual([1, 2])
})

test('[N140] a cancelled run cancels its call on the server', async () => {
  await using server = await startHttpFixture()
  const it = new LoopWorld(callerAgent([mcp({ name: 'docs', url: server.url }, { idleMs: 0 })]))
  await it.submit('docs_slow')
  await eventually(() => expect([...server.sessions.values()][0]?.calls).toBe(1))
  await it.send({ type: 'cancel' })
  await eventually(() =>
    expect([...server.sessions.values()][0]?.log.map(({ method }) => method)).toContain('notifications/cancelled'),
  )
  expect(await ask(it, 'docs_echo {"text":"on"}', keys[1])).toBe('on')
})

test('[N138] changed tools are there with the next run, and a call of a tool that is gone says so', async () => {
  await using server = await startHttpFixture()
  const source = mcp({ name: 'docs', url: server.url }, { include: ['echo', 'put', 'change', 'late'] })
  const it = new LoopWorld(callerAgent([source]))
  const { tools } = await source.open({ sessionId: 's', tenant: 't', signal: new AbortController().signal })
  expect(await ask(it, 'docs_change')).toBe('changed')
  const call = { signal: new AbortController().signal, stepKey: 'k', session: {} as never }
  for (const name of ['echo', 'put']) {
    const stale = tools.find((each) => each.name === `docs_${name}`)
    await expect(stale?.run({ text: 'a' }, call)).rejects.toMatchObject({
      code: 'mcp_tool_gone',
      server: 'docs',
      message: expect.stringContaining(`no tool "${name}" any more`),
    })
  }
  expect(await ask(it, 'docs_late')).toBe('late')
  expect((await it.payloads('turn_start_tools')).map(({ tools }) => tools)).toEqual([
    ['docs_echo', 'docs_put', 'docs_change'],
    ['docs_late', 'docs_change'],
  ])
  await ask(it, 'docs_echo {"text":"a"}')
  expect(await lastOutcome(it)).toMatchObject({ status: 'error', reason: 'unknown_tool' })
})

test('[N140] a server that was started again gets a new session, and the call is made once', async () => {
  await using server = await startHttpFixture()
  const it = new LoopWorld(callerAgent([mcp({ name: 'docs', url: server.url })]))
  for (const key of keys) expect(await ask(it, 'docs_count', key)).toMatch(/[123]/)
  const source = mcp({ name: 'docs', url: server.url })
  const opened = await source.open({ sessionId: 's', tenant: 't', signal: new AbortController().signal })
  server.forget()
  const count = opened.tools.find(({ name }) => name === 'docs_count')
  const call = { signal: new AbortController().signal, stepKey: 'k', session: {} as never }
  expect(await count?.run({}, call)).toBe('1')
  expect(await count?.run({}, call)).toBe('2')
  expect(await ask(it, 'docs_count')).toBe('1')
})

test('[N142] requests for answers of a model and for folders are refused', async () => {
  await using server = await startHttpFixture()
  const it = new LoopWorld(callerAgent([mcp({ name: 'docs', url: server.url }, { idleMs: 0 })]))
  expect(await ask(it, 'docs_ask')).toBe('refused(-32601) refused(-32601)')
})

test('[N142] an isolated server has a connection per run, whose headers come from a function of the run', async () => {
  await using server = await startHttpFixture()
  const headers = vi.fn(async (run: { sessionId: string; tenant: string } | null) => ({
    authorization: `Bearer ${run?.tenant}-${run?.sessionId}`,
  }))
  const own = mcp({ name: 'own', url: server.url, headers }, { isolated: true, include: ['count'] })
  const shared = mcp({ name: 'shared', url: server.url, headers: () => ({ 'x-key': 'k' }) }, { include: ['count'] })
  const it = new LoopWorld(callerAgent([own, shared]))
  for (const turn of [1, 2]) {
    expect(await Promise.all(keys.map((key) => ask(it, 'own_count', key)))).toEqual(['1', '1', '1'])
    expect(turn).toBeLessThan(3)
  }
  const sent = new Set(server.requests.map(({ headers }) => headers.authorization ?? headers['x-key']))
  expect([...sent].toSorted()).toEqual(['Bearer acme-a', 'Bearer acme-b', 'Bearer acme-c', 'k'])
  expect(server.sessions.size).toBe(7)
})

test('[N137] a person approves calls of a server, with a function or for all', async () => {
  await using server = await startHttpFixture()
  const approve = ({ tool, input }: { tool: string; input: object }) =>
    tool === 'echo' && 'text' in input && { reason: 'Echo?' }
  const it = new LoopWorld(callerAgent([mcp({ name: 'docs', url: server.url }, { approve: (call) => approve(call) })]))
  expect(await ask(it, 'docs_sum {"a":1,"b":2}')).toEqual({ sum: 3 })
  await it.submit('docs_echo {"text":"a"}')
  await eventually(async () => expect(await it.payloads('approval_required')).toMatchObject([{ reason: 'Echo?' }]))
  await it.approve('approved', { text: 'edited' })
  await eventually(async () => expect(await it.result()).toMatch(/edited"$/))
})

test('[N140] a connection that is not there after 30 seconds is given up, also where a run would wait longer', async () => {
  await using server = await startHttpFixture('silent')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const source = mcp({ name: 'docs', url: server.url })
  const context = { sessionId: 's', tenant: 't', signal: new AbortController().signal }
  const runs = [source.open(context), source.open(context), source.open(context)] as Promise<unknown>[]
  const results = Promise.allSettled(runs)
  await vi.advanceTimersByTimeAsync(30_000)
  vi.useRealTimers()
  const reason = { code: 'mcp_unavailable', message: 'MCP server "docs": it does not answer.' }
  expect(await results).toMatchObject(Array(3).fill({ status: 'rejected', reason }))
})

test('[N142] a redirect to another origin gets no request, and no secret', async () => {
  await using other = await startHttpFixture()
  const moved = createServer((_request, response) => response.writeHead(307, { location: other.url }).end())
  await new Promise<void>((resolve) => moved.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(moved.address() as AddressInfo).port}/mcp`
  const source = mcp({ name: 'docs', url, headers: { authorization: 'Bearer secret' } })
  const opened = source.open({ sessionId: 's', tenant: 't', signal: new AbortController().signal })
  await expect(opened).rejects.toMatchObject({ code: 'mcp_unavailable' })
  expect(other.requests).toEqual([])
  await new Promise((resolve) => moved.close(resolve))
})
