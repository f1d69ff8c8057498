// The MCP servers of runs, as a runner hands them to its engines.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CredentialProxy, startCredentialProxy } from '../credentials/proxy.ts'
import { type PuppetEngine, puppetEngine, steps } from '../engines/puppet.suite.ts'
import type { McpHandler } from '../mcp/handler.ts'
import { request, runName } from '../mcp/mcp-world.suite.ts'
import type { McpMessage } from '../mcp/messages.ts'
import { withoutIsolation } from '../sandboxes/isolation/engine-start.suite.ts'
import { caller } from './runner.suite.ts'
import { SandboxRunner } from './sandbox-runner.ts'

let folder: string
let engine: PuppetEngine
let runner: SandboxRunner
let proxy: CredentialProxy
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-runner-mcp-'))
  engine = puppetEngine()
  proxy = await startCredentialProxy({ secret: 's', keys: {}, env: {} })
  runner = await SandboxRunner.start({
    engines: [engine],
    workFolder: join(folder, 'work'),
    stateFolder: join(folder, 'state'),
    // A key of its own: MCP servers lie behind the server all the same.
    env: { ANTHROPIC_API_KEY: 'key' },
    ...withoutIsolation(folder),
  })
})
afterEach(async () => {
  await runner.close()
  await proxy.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Says which run asks. */
const who: McpHandler = async ({ run, message }) => ({
  status: 200,
  message: { jsonrpc: '2.0', id: message?.id, result: { run: run.runId } } as McpMessage,
})
const files = { name: 'files', command: 'node', args: ['s.js'], env: { A: 'b' }, cwd: 'tools' }
const mcp = [files, { name: 'bridle', relay: true, approved: true }]

let runs = 0
const play = async (resume?: string, more: object = {}) => {
  const name = { ...runName('s1'), runId: `r${++runs}` }
  const { token, url } = proxy.grantMcp(name, () => ({ bridle: who }))
  const prompt = steps({ mcp: 'bridle', message: request('who') })
  const env = { BRIDLE_MCP_URL: url, BRIDLE_MCP_TOKEN: token }
  const reading = await caller(runner.url).query({ prompt, mcp, env, ...(resume && { resume }), ...more })
  const end = await reading.end
  return { run: name.runId, resume: end?.type === 'run.completed' ? end.resume : undefined, end }
}

test.each([
  ['is opened again for each turn', false, 2],
  ['that learns of them stays open', true, 1],
])(
  '[R37] [R40] an engine gets its servers, and the addresses change with the run: one that %s',
  async (_name, takes, opened) => {
    engine.takesMcpServers = takes
    const first = await play()
    const second = await play(first.resume)
    expect([engine.opened.length, second.end?.type]).toEqual([opened, 'run.completed'])
    const urls = engine.mcpServers.map((servers) => {
      expect(servers).toMatchObject([files, { name: 'bridle', url: expect.any(String), approved: true }])
      return (servers[1] as unknown as { url: string }).url
    })
    expect(urls[0]?.split('/').slice(0, 5)).toEqual(urls[1]?.split('/').slice(0, 5))
    expect(urls[0]).not.toBe(urls[1])
    expect(engine.mcpAnswers.map(({ status, text }) => [status, JSON.parse(text).result])).toEqual([
      [200, { run: first.run }],
      [200, { run: second.run }],
    ])
    // The address of a run that has ended.
    for (const url of urls) expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(403)
  },
)

test('[R38] a server that the query does not name is not served, also where the run has a grant for it', async () => {
  const { token, url } = proxy.grantMcp(runName('s1'), () => ({ bridle: who, docs: who }))
  const env = { BRIDLE_MCP_URL: url, BRIDLE_MCP_TOKEN: token }
  const reading = await caller(runner.url).query({ requestId: 'named', prompt: steps({ hang: 'politely' }), mcp, env })
  await expect.poll(() => engine.mcpServers.length).toBe(1)
  const [, server] = engine.mcpServers.at(-1) ?? []
  const own = server && 'url' in server ? server.url : ''
  const post = async (to: string) => (await fetch(to, { method: 'POST', body: JSON.stringify(request('who')) })).status
  expect([await post(own), await post(own.replace(/bridle$/, 'docs'))]).toEqual([200, 404])
  await caller(runner.url).post('/runs/named/cancel')
  await reading.end
})

test('[R37] another set of servers is another engine, and without servers the engine stays open', async () => {
  const none = { prompt: steps({ sleepMs: 0 }), mcp: [] }
  const first = await play(undefined, none)
  const second = await play(first.resume, none)
  const third = await play(second.resume)
  await play(third.resume, none)
  expect([engine.opened.length, engine.closed]).toEqual([3, 2])
})

test('[R39] an engine’s request waits for an address that PUT /runs/:id/env names', async () => {
  const { token, url } = proxy.grantMcp(runName('s1'), () => ({ bridle: who }))
  const runs_ = caller(runner.url)
  const prompt = steps({ mcp: 'bridle', message: request('who') })
  const env = { BRIDLE_MCP_URL: 'http://127.0.0.1:1', BRIDLE_MCP_TOKEN: token }
  const reading = await runs_.query({ requestId: 'waits', prompt, mcp, env })
  await runs_.put('/runs/waits/env', { vars: { BRIDLE_MCP_URL: url } })
  expect(await reading.end).toMatchObject({ type: 'run.completed' })
  expect(engine.mcpAnswers).toMatchObject([{ status: 200 }])
})

test.each([
  ['a name that is no part of a path', [{ name: '../anthropic', relay: true }]],
  ['neither a program nor a relay', [{ name: 'docs' }]],
  ['relay: false', [{ name: 'docs', relay: false }]],
  ['more than fifty', Array.from({ length: 51 }, (_, index) => ({ name: `s${index}`, relay: true }))],
])('[R37] a query with %s is refused', async (_name, servers) => {
  const reading = await caller(runner.url).query({ prompt: 'Hello', mcp: servers })
  expect([reading.status, reading.problem?.error?.type]).toEqual([400, 'bad_request'])
})
