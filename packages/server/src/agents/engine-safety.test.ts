// When an engine needs the server to have a token: as a table, and with a real server.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineDescriptions } from '@bridle/runners/engine-table/descriptions'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HarnessServer, type ServerOptions } from '../node/index.ts'
import { openTestSocket } from '../tests/socket-client.suite.ts'
import { type EngineEnvironment, engineSafetyProblem } from './engine-safety.ts'

const allow = { allow: ['api.github.com'] }
const backends = ['auto', 'bubblewrap', 'process'] as const
const networks = ['none', 'host', allow] as const
const table: [EngineEnvironment, boolean][] = [true, false].flatMap((isOpen) =>
  backends.flatMap((backend) =>
    networks.map((network): [EngineEnvironment, boolean] => [
      { isOpen, backend, network },
      isOpen && (backend === 'process' || network === 'host'),
    ]),
  ),
)

describe('[O20] an engine beside a server without a token', () => {
  test.each(table)('%j needs one: %s', (surroundings, isNeeded) => {
    const line = engineSafetyProblem(surroundings)
    expect(line !== null).toBe(isNeeded)
    if (line !== null) expect(line).toMatch(/^Set FABRIC_HARNESS_API_TOKEN or start with --token: [^\n]*\.$/)
  })

  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bridle-engine-needs-'))
    // Engines of root are another user, who has to enter.
    chmodSync(folder, 0o711)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const start = (name: string, options: ServerOptions) =>
    HarnessServer.start({
      ...{ port: 0, data: join(folder, name), log: () => {} },
      env: { ...process.env, ANTHROPIC_API_KEY: 'key', OPENAI_API_KEY: 'key' },
      ...options,
    })
  const isEngine = (name: string) => engineDescriptions.some((engine) => engine.name === name)
  const needsOf = async (url: string, headers = {}) => {
    const { agents } = (await get(`${url}/ready`, headers)).body as unknown as {
      agents: { name: string; needs?: string }[]
    }
    return agents.filter(({ name }) => isEngine(name)).map(({ needs = '' }) => needs)
  }

  test.each<[string, ServerOptions, string]>([
    ['walls', {}, 'in a sandbox'],
    ['no-walls', { sandbox: { backend: 'process' } }, 'without walls around it'],
  ])('[O13] with %s /ready and doctor say so', async (name, options, place) => {
    const server = await start(name, options)
    try {
      const { agents } = (await get(`${server.url}/ready`)).body as unknown as {
        agents: { name: string; description: string }[]
      }
      expect(agents.filter(({ name }) => isEngine(name)).map(({ description }) => description)).toEqual(
        engineDescriptions.map(({ title }) => `${title}, ${place}.`),
      )
    } finally {
      await server.close()
    }
  })

  test.each<[string, ServerOptions]>([
    ['process', { sandbox: { backend: 'process' } }],
    ['host', { sandbox: { network: 'host' } }],
  ])('with %s it does not run, on any wire, and says what to do', async (name, options) => {
    const server = await start(name, options)
    try {
      const needs = await needsOf(server.url)
      expect(needs).toHaveLength(engineDescriptions.length)
      // A machine without the engines says that first.
      for (const line of needs) expect(line).toMatch(/--token|is not installed/)
      for (const { name: agent } of engineDescriptions) {
        const { status, body } = await post(`${server.url}/agents/${agent}/x`, { prompt: 'x' })
        expect([status, body.error]).toMatchObject([503, { type: 'unavailable' }])
      }
      // A socket that names the agent asks nobody what the agent needs: its runner refuses.
      for (const { name: agent } of engineDescriptions) {
        const line = await openTestSocket(`${server.url}/ws?sessionId=s-${agent}&agent=${agent}`)
        line.say({ type: 'commands', commands: [{ type: 'submit', prompt: 'x', commandId: 'c-1' }] })
        const said = await line.until((all) => JSON.stringify(all).includes('--token'))
        expect(JSON.stringify(said)).toContain('Set FABRIC_HARNESS_API_TOKEN or start with --token')
        line.ws.close()
      }
      // A socket that names none gets the scripted agent.
      const line = await openTestSocket(`${server.url}/ws?userId=ann`)
      await line.until((all) => all.length > 0)
      line.say({
        type: 'commands',
        commands: [{ type: 'submit', prompt: '@script [{"text":"Hi"}]', commandId: 'c-1' }],
      })
      await line.until((all) => JSON.stringify(all).includes('"Hi"'))
      line.ws.close()
      expect((await get(`${server.url}/sessions/user:ann`)).body.agent).toBe('scripted')
    } finally {
      await server.close()
    }
  })

  test.each<[string, ServerOptions]>([
    ['a token', { authToken: 'right' }],
    ['tokens', { tokens: [{ token: 'right' }] }],
    ['a hook', { extractAuthToken: ({ headers }) => headers.get('authorization') === 'Bearer right' }],
    ['a kept token', { keepToken: true, authToken: 'right' }],
  ])('with %s it does', async (name, options) => {
    const server = await start(name.replace(' ', '-'), { ...options, sandbox: { backend: 'process', network: 'host' } })
    try {
      const needs = await needsOf(server.url, { authorization: 'Bearer right' })
      expect(needs).toHaveLength(engineDescriptions.length)
      expect(needs.join()).not.toContain('--token')
    } finally {
      await server.close()
    }
  })
})
