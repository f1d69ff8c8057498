import { keyOf, LoopWorld } from '@bridle/agents/loop/loop.suite'
import { expect, test } from 'vitest'
import { startHttpFixture } from './http-fixture.suite.ts'
import { mcp } from './mcp.ts'
import { ask, callerAgent, eventually, lastOutcome } from './mcp-world.suite.ts'

test('[N133] two agents call the tools of a server in three sessions each, over one connection', async () => {
  await using server = await startHttpFixture()
  const source = mcp({ name: 'docs', url: server.url }, { include: ['echo', 'sum'], idleMs: 0 })
  const other = callerAgent([source], 'other')
  const it = new LoopWorld({ tested: callerAgent([source]), other })
  // A lease of our own, so that the runs do not end with the connection in between.
  const context = { sessionId: 's', tenant: 't', signal: new AbortController().signal }
  const lease = await source.open(context)
  const keys = ['a', 'b', 'c'].flatMap((id) => [keyOf(id), keyOf(id, 'other')])
  for (const turn of [1, 2]) {
    const results = keys.map((key) => ask(it, `docs_echo {"text":"${turn} ${key.agent} ${key.id}"}`, key))
    expect(await Promise.all(results)).toEqual(keys.map((key) => `${turn} ${key.agent} ${key.id}`))
  }
  expect(await ask(it, 'docs_sum {"a":2,"b":40}', keys[3])).toEqual({ sum: 42 })
  expect((await it.payloads('turn_start_tools', keys[0]))[0]).toMatchObject({ tools: ['docs_echo', 'docs_sum'], of: 2 })
  expect(server.sessions.size).toBe(1)
  await lease.close?.()
  await eventually(() => expect(server.requests.at(-1)?.method).toBe('DELETE'))
  expect(server.requests.some(({ method }) => method === 'GET')).toBe(false)
  expect(await lastOutcome(it, keys[3])).toMatchObject({ status: 'ok' })
})

test('[N133] a server that knows only the handshake of 2026 works too, in three sessions', async () => {
  await using server = await startHttpFixture('modern')
  const it = new LoopWorld(callerAgent([mcp({ name: 'docs', url: server.url }, { include: ['echo', 'sum'] })]))
  const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
  const results = await Promise.all(keys.map((key) => ask(it, `docs_echo {"text":"${key.id}"}`, key)))
  expect(results).toEqual(['a', 'b', 'c'])
  expect(await ask(it, 'docs_sum {"a":2,"b":3}', keys[1])).toEqual({ sum: 5 })
})
