// The MCP servers of runs whose runner may not reach this server: the run goes on without those behind it, and the log says so.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyEvent } from '@bridle/kernel/event'
import { digest, key, setUp } from '@bridle/kernel/host/host.suite'
import type { Clock } from '@bridle/kernel/ports/clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type PuppetEngine, puppetEngine, steps, text } from '../engines/puppet.suite.ts'
import type { RunEnvVars, RunMcpServer } from '../protocol/protocol.ts'
import { withoutIsolation } from '../sandboxes/isolation/engine-start.suite.ts'
import { urlSandbox } from '../sandboxes/url-sandbox.ts'
import { SandboxRunner } from '../server/sandbox-runner.ts'
import { remoteRunner } from './remote-runner.ts'

const clock: Clock = {
  now: Date.now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

let folder: string
let engine: PuppetEngine
let runner: SandboxRunner
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-remote-mcp-'))
  engine = puppetEngine()
  runner = await SandboxRunner.start({
    engines: [engine],
    workFolder: join(folder, 'w'),
    stateFolder: join(folder, 's'),
    env: { ANTHROPIC_API_KEY: 'own' },
    ...withoutIsolation(folder),
  })
})
afterEach(async () => {
  await runner.close()
  rmSync(folder, { recursive: true, force: true })
})

const files = { name: 'files', command: 'node' }
const relayed = ['docs', 'tickets'].map((name): RunMcpServer => ({ name, relay: true }))

const play = async (mcp: readonly RunMcpServer[], env: RunEnvVars): Promise<readonly AnyEvent[]> => {
  const { host, events } = setUp(
    {
      runner: () =>
        remoteRunner({
          ...{ engine: 'puppet', provider: urlSandbox({ url: runner.url }), clock, digest, mcp, repository: 'none' },
          runToken: async () => null,
          credentials: { grant: async () => env, revoke: () => {} },
        }),
      clock,
    },
    undefined,
    clock as never,
  )
  await host.send(key(), { type: 'submit', prompt: steps(text('Done.')) })
  await expect.poll(async () => (await events()).map(({ type }) => type)).toContain('turn_end')
  await host.stop()
  return events()
}
const warningsIn = (events: readonly AnyEvent[]) =>
  events.flatMap(({ type, payload }) => (type === 'context_warning' ? [payload] : []))

test.each<[string, readonly RunMcpServer[], string]>([
  ['one', [files, ...relayed.slice(0, 1)], 'the MCP server "docs"'],
  ['two', [files, ...relayed], 'the MCP servers "docs", "tickets"'],
])(
  '[EN52] [EN54] without a way to this server the run goes on without %s behind it, and says so',
  async (_name, mcp, which) => {
    const events = await play(mcp, {})
    expect(warningsIn(events)).toMatchObject([
      { kind: 'mcp_unavailable', message: `The run continues without ${which}: its runner cannot reach this server.` },
    ])
    expect(engine.mcpServers).toEqual([[files]])
    expect(events.find(({ type }) => type === 'turn_end')?.payload).toMatchObject({ status: 'completed' })
  },
)

test('[EN52] a run that brings no key for the model reaches its MCP servers', async () => {
  const events = await play([files, ...relayed], { BRIDLE_MCP_URL: 'http://127.0.0.1:1', BRIDLE_MCP_TOKEN: 't' })
  expect(warningsIn(events)).toEqual([])
  expect(events.filter(({ type }) => type === 'transport_diagnostic')).toEqual([])
  expect(engine.mcpServers[0]?.map(({ name }) => name)).toEqual(['files', 'docs', 'tickets'])
})
