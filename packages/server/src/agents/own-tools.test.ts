// Tools of the operator on the whole way in one process: a puppet of an engine, the relay of a real runner, the proxy, and the session.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { tool } from '@bridle/agents/tools/tool'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import { Host } from '@bridle/kernel/host/host'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import { claudeDescription } from '@bridle/runners/engines/claude/description'
import type { EngineConfig } from '@bridle/runners/engines/description'
import { type PuppetEngine, type PuppetStep, puppetEngine, steps, text } from '@bridle/runners/engines/puppet.suite'
import { withoutIsolation } from '@bridle/runners/sandboxes/isolation/engine-start.suite'
import { SandboxRunner } from '@bridle/runners/server/sandbox-runner'
import { testApp } from '@bridle/surfaces/http/test-app.suite'
import { ServerFault } from '@bridle/system/server-fault'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createEngineAgents, type EngineAgents } from './engines.ts'
import { AgentRegistry } from './registry.ts'

const clock = {
  now: Date.now,
  after: (ms: number, call: () => void) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
const digest = async (data: string) => createHash('sha256').update(data).digest('hex')

const named = (name: string, more: object = {}) =>
  tool({ name, description: `Does ${name}.`, run: (_input, { session }) => `${name} of ${session.id}`, ...more })
const [look, ship, mend] = ['look', 'ship', 'mend'].map((name) => named(name)) as [
  ReturnType<typeof named>,
  ReturnType<typeof named>,
  ReturnType<typeof named>,
]

let folder: string
let engine: PuppetEngine
let runner: SandboxRunner
let engines: EngineAgents
let registry: AgentRegistry
let store: ReturnType<typeof memoryStore>
let host: Host

const serve = async (claude: EngineConfig, row: object = claudeDescription) => {
  const registered = { ...claudeDescription, ...row, create: () => puppetEngine('claude') }
  engines = await createEngineAgents({
    ...{ data: folder, env: {}, clock, digest, registry: [registered], sandbox: { url: runner.url } },
    engines: { claude },
  })
  registry = new AgentRegistry({ clock, digest }, engines.serve)
  for (const [info, own] of engines.agents) registry.addBuiltIn(info, own)
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-own-tools-'))
  engine = puppetEngine('claude')
  runner = await SandboxRunner.start({
    ...{ engines: [engine], workFolder: join(folder, 'work'), stateFolder: join(folder, 'state') },
    ...withoutIsolation(folder),
    env: { ANTHROPIC_API_KEY: 'key' },
  })
  store = memoryStore()
  host = new Host({ ...store, clock, digest, tokenPaceMs: 0, runner: (name) => registry.runnerOf(name) })
})
afterEach(async () => {
  await host.stop()
  await engines?.close()
  await runner.close()
  rmSync(folder, { recursive: true, force: true })
})

const keyOf = (name: string, id: string): Key => ({ tenant: 'default', agent: name, id })
const eventsOf = async (key: Key) => (await store.log.read(key, 0, 1_000)) as AnyEvent[]
const payloads = async (key: Key, ...types: string[]) =>
  (await eventsOf(key)).filter(({ type }) => types.includes(type)).map(({ type, payload }) => [type, payload])
const submit = (key: Key, ...given: PuppetStep[]) => {
  const prompt = steps(...given)
  return host.send(key, { type: 'submit', prompt, input: { prompt } })
}
const ended = (key: Key) =>
  vi.waitFor(async () => expect(await payloads(key, 'turn_end')).toHaveLength(1), { timeout: 10_000 })
const call = (name: string, id = 'toolu_1'): PuppetStep[] => [
  { say: { type: 'tool.started', toolName: `mcp__bridle__${name}`, toolUseId: id, input: {} } },
  {
    mcp: 'bridle',
    message: {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: {}, _meta: { 'claudecode/toolUseId': id } },
    },
  },
  { say: { type: 'tool.completed', toolUseId: id, outcome: { status: 'ok', result: 'forged' } } },
]

test('[EN56] [EN57] [EN60] three agents on one engine: each is offered the tools of the engine and its own, and each call is logged once', async () => {
  await serve({ tools: [look] })
  const own = { shipper: ship, mender: mend }
  for (const [name, each] of Object.entries(own)) registry.add(agent({ name, engine: 'claude', tools: [each] }))
  const list = { mcp: 'bridle', message: { jsonrpc: '2.0', id: 0, method: 'tools/list' } }
  const offered = { claude: ['look'], shipper: ['look', 'ship'], mender: ['look', 'mend'] }
  for (const [name, tools] of Object.entries(offered)) {
    const key = keyOf(name, `of-${name}`)
    engine.mcpAnswers.length = 0
    const used = tools.at(-1) ?? ''
    await submit(key, list, text('Now.'), ...call(used), text(' Done.'))
    await ended(key)
    const [listed, answered] = engine.mcpAnswers.map(({ text: said }) => JSON.parse(said))
    expect(listed.result.tools.map((each: { name: string }) => each.name)).toEqual(tools)
    expect(answered.result).toEqual({ content: [{ type: 'text', text: `${used} of of-${name}` }] })
    expect(await payloads(key, 'tool_call', 'tool_outcome')).toMatchObject([
      ['tool_call', { name: used, tool_call_id: 'toolu_1', served: true }],
      ['tool_outcome', { tool_name: used, status: 'ok', result: `${used} of of-${name}` }],
    ])
    expect(await payloads(key, 'turn_end')).toMatchObject([['turn_end', { status: 'completed' }]])
  }
})

test('[EN58] an approval is answered by the session, and the engine has its result; it never asks itself', async () => {
  await serve({ tools: [named('ship', { approve: { reason: 'To everybody.' } })] })
  const key = keyOf('claude', 'asks')
  await submit(key, ...call('ship'), text('Done.'))
  await vi.waitFor(async () => expect(await payloads(key, 'approval_required')).toHaveLength(1))
  const [approvalId = ''] = Object.keys((await host.open(key)).state.approvals.open)
  await host.send(key, { type: 'approve', approvalId, decision: 'approved' })
  await ended(key)
  expect(await payloads(key, 'approval_required', 'tool_outcome')).toMatchObject([
    ['approval_required', { reason: 'To everybody.', served: true }],
    ['tool_outcome', { status: 'ok', result: 'ship of asks' }],
  ])
  expect(engine.mcpServers.at(-1)).toMatchObject([{ name: 'bridle', approved: true }])
})

test('[EN63] the address of an earlier run makes no call, neither for the next run nor between two', async () => {
  await serve({ tools: [ship] })
  const [first, second] = [keyOf('claude', 'first'), keyOf('claude', 'second')]
  await submit(first, ...call('ship'))
  await ended(first)
  const [old] = engine.mcpServers.at(-1) as unknown as [{ url: string }]
  const ask = async () => {
    const body = JSON.stringify((call('ship')[1] as { message: object }).message)
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    return (await fetch(old.url, { method: 'POST', body, headers })).status
  }
  expect(await ask()).toBe(403)
  await submit(second, text('Hi.'), { hang: 'politely' })
  await vi.waitFor(async () => expect(await payloads(second, 'token')).toHaveLength(1))
  expect(await ask()).toBe(403)
  await host.send(second, { type: 'cancel' })
  expect(await payloads(second, 'tool_call')).toEqual([])
  expect(await payloads(first, 'tool_call')).toHaveLength(1)
})

test('[EN56] an engine that hides the tools of MCP servers is told of them in its instructions', async () => {
  await serve({ tools: [ship], instructions: 'House rules.' }, { hidesMcpTools: true })
  const key = keyOf('claude', 'hidden')
  await submit(key, text('Hi.'))
  await ended(key)
  expect(engine.openedWith[0]?.instructions).toMatch(
    /^House rules\.\n\nYou have these tools .*\n- mcp__bridle__ship: Does ship\.$/s,
  )
})

test('[EN55] wrong tools stop the start, or are what the agent of a definition needs', async () => {
  await expect(serve({ tools: [look, look] })).rejects.toThrow(ServerFault)
  await expect(serve({ tools: [named('Bash')] })).rejects.toThrow('has the name of a tool of the engine')
  await serve({ tools: [look] })
  registry.add(agent({ name: 'twice', engine: 'claude', tools: [named('look')] }))
  registry.add(agent({ name: 'bash', engine: 'claude', tools: [named('bash')] }))
  const { body } = await testApp({ agents: registry.agents }).get('/agents')
  const rows = body.agents as { readonly name: string; readonly needs?: string }[]
  const needs = Object.fromEntries(rows.map((each) => [each.name, each.needs]))
  expect(needs).toMatchObject({
    twice: 'Two tools of "twice" have the name "look". Rename one of them.',
    bash: '"bash" of "bash" has the name of a tool of the engine. Rename it.',
  })
  const key = keyOf('twice', 'refused')
  await submit(key, text('Hi.'))
  await ended(key)
  expect(await payloads(key, 'error')).toMatchObject([['error', { message: needs.twice }]])
})
