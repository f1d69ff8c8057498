// A further engine is one folder and one row: here the folder is a fixture, and the row stands behind Bridle's own.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyEvent } from '@bridle/kernel/event'
import { Host } from '@bridle/kernel/host/host'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import { engineDescriptions } from '@bridle/runners/engine-table/descriptions'
import { createEngines, type EngineRow, engineRegistry } from '@bridle/runners/engine-table/registry'
import { codexInfo } from '@bridle/runners/engines/codex/description'
import { puppetEngine } from '@bridle/runners/engines/puppet.suite'
import { SandboxRunner } from '@bridle/runners/server/sandbox-runner'
import { createEngineAgents, type EngineAgents } from '@bridle/server/agents/engines'
import { testApp } from '@bridle/surfaces/http/test-app.suite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { engineFindings } from '../commands/doctor.ts'

const abacus: EngineRow = {
  name: 'abacus',
  title: 'Abacus',
  packageName: 'abacus',
  provider: 'openai',
  worksOnFiles: false,
  info: (version) => ({ ...codexInfo(version), name: 'abacus' }),
  create: () => ({ ...puppetEngine('abacus'), provider: 'openai' }),
}
const registry = [...engineRegistry, abacus]
const names = registry.map(({ name }) => name)
const clock = {
  now: Date.now,
  after: (ms: number, call: () => void) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
const digest = async (text: string) => createHash('sha256').update(text).digest('hex')

let folder: string
let runner: SandboxRunner
let engines: EngineAgents
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-abacus-'))
  const token = 'token-of-the-runner'
  runner = await SandboxRunner.start({
    engines: createEngines({ OPENAI_API_KEY: 'key' }, registry),
    workFolder: join(folder, 'work'),
    stateFolder: join(folder, 'state'),
    env: { OPENAI_API_KEY: 'key' },
    token,
  })
  const env = { BRIDLE_RUNNER_TOKEN: token }
  engines = await createEngineAgents({ data: folder, env, clock, digest, registry, sandbox: { url: runner.url } })
})
afterAll(async () => {
  await engines?.close()
  await runner?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the runner command serves every engine of the table', async () => {
  const response = await fetch(`${runner.url}/engines`, { headers: { authorization: 'Bearer token-of-the-runner' } })
  const { engines: listed } = (await response.json()) as { engines: { name: string }[] }
  expect(listed.map(({ name }) => name)).toEqual(names)
})

test('doctor reports every engine of the table, with the key of its provider', async () => {
  const checks = await engineFindings({ BRIDLE_SANDBOX: 'process' }, registry)
  expect(checks.map(({ check }) => check)).toEqual([...names.map((name) => `engine ${name}`), 'sandbox'])
  expect(checks.at(-2)?.detail).toContain('Set OPENAI_API_KEY')
})

test('an engine that cannot be set up is named, by the start and by doctor, and the others are still checked', async () => {
  const broken: [string, EngineRow][] = [
    [
      'no abacus here',
      {
        ...abacus,
        create: () => {
          throw new Error('no abacus here')
        },
      },
    ],
    [
      'beads',
      { ...abacus, create: () => ({ ...puppetEngine('abacus'), needs: () => Promise.reject(new Error('beads')) }) },
    ],
  ]
  for (const [reason, row] of broken) {
    const rows = [row, ...engineRegistry]
    const data = mkdtempSync(join(folder, 'broken-'))
    const starting = createEngineAgents({ data, env: {}, clock, digest, registry: rows })
    await expect(starting).rejects.toThrow(`The engine Abacus cannot be set up: ${reason}`)
    const checks = await engineFindings({ BRIDLE_SANDBOX: 'process' }, rows)
    expect(checks[0]).toEqual({ check: 'engine abacus', state: 'wrong', detail: reason })
    expect(checks.map(({ check }) => check)).toEqual(['engine abacus', 'engine claude', 'engine codex', 'sandbox'])
  }
})

test('the agents list has it, and a new session may name it as its engine', async () => {
  const agents = new Map(engines.agents.map(([info]) => [info.name, info]))
  const app = testApp({ agents })
  const { agents: listed } = (await app.get('/ready')).body as { agents: { name: string; description: string }[] }
  expect(listed.map(({ name, description }) => [name, description]).at(-1)).toEqual(['abacus', 'Abacus, in a sandbox.'])
  expect((await app.post('/sessions', { engine: 'abacus', prompt: 'x' })).status).toBe(202)
  const refused = await app.post('/sessions', { engine: 'slide-rule', prompt: 'x' })
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining(names.join(', '))])
})

test('its runs are played by the runner, and the status card names it', async () => {
  const runners = new Map(engines.agents.map(([info, each]) => [info.name, each]))
  const store = memoryStore()
  const host = new Host({ ...store, clock, digest, tokenPaceMs: 0, runner: (agent) => runners.get(agent) ?? null })
  const key = { tenant: 'default', agent: 'abacus', id: 's1' }
  await host.send(key, { type: 'submit', prompt: JSON.stringify([{ say: { type: 'assistant.delta', text: 'five' } }]) })
  const cards = async () =>
    ((await store.log.read(key, 0, 1_000)) as AnyEvent[])
      .filter(({ type }) => type === 'session_state')
      .map(({ payload }) => payload)
  await vi.waitFor(async () => expect((await cards()).at(-1)).toMatchObject({ status: 'idle' }))
  for (const card of await cards()) expect(card).toMatchObject({ engine: 'abacus', runner_kind: 'bridge' })
  expect((await cards()).at(-1)).toMatchObject({ provider: 'openai' })
  await host.stop()
})

test('[R28] a model that the operator does not allow is refused at every door, and by the run of a prompt that got past them', async () => {
  const env = { BRIDLE_RUNNER_TOKEN: 'token-of-the-runner' }
  const engine = { abacus: { models: ['small*'], model: 'own' } }
  const options = {
    data: mkdtempSync(join(folder, 'models-')),
    env,
    clock,
    digest,
    registry,
    sandbox: { url: runner.url },
  }
  const listed = await createEngineAgents({ ...options, engines: engine })
  const sentence = 'The engine may not use the model "large". It may use: small*.'
  try {
    const app = testApp({ agents: new Map(listed.agents.map(([info]) => [info.name, info])) })
    await app.post('/chat/sessions', { agent: 'abacus', session_id: 'chat' })
    const doors = [
      ['/agents/abacus/a1', (model: string) => ({ prompt: 'x', model })],
      ['/chat/sessions', (model: string) => ({ agent: 'abacus', model })],
      ['/chat/sessions/chat/turns', (model: string) => ({ prompt: 'x', input: { model } })],
      ['/sessions', (model: string) => ({ agent: 'abacus', prompt: 'x', model })],
      ['/sessions', (model: string) => ({ agent: 'abacus', prompt: 'x', input: { model } })],
    ] as const
    for (const [path, body] of doors) {
      const refused = await app.post(path, body('large'))
      expect([path, refused.status, refused.body.error]).toEqual([path, 400, expect.stringContaining(sentence)])
      const allowed = await app.post(path, body('small-2'), { prefer: 'respond-async' })
      expect([path, allowed.status]).toEqual([
        path,
        expect.toSatisfy((status: number) => status >= 200 && status < 300),
      ])
    }
    const runners = new Map(listed.agents.map(([info, each]) => [info.name, each]))
    const store = memoryStore()
    const host = new Host({ ...store, clock, digest, tokenPaceMs: 0, runner: (agent) => runners.get(agent) ?? null })
    const play = async (id: string, command: object) => {
      const key = { tenant: 'default', agent: 'abacus', id }
      await host.send(key, { type: 'submit', prompt: '[]', ...command })
      const read = async () => (await store.log.read(key, 0, 1_000)) as AnyEvent[]
      await vi.waitFor(async () => expect((await read()).map(({ type }) => type)).toContain('turn_end'))
      return (await read()).find(({ type }) => type === 'error')?.payload
    }
    const refusal = expect.objectContaining({ message: sentence })
    expect(await play('by-input', { input: { prompt: '[]', model: 'large' } })).toEqual(refusal)
    expect(await play('by-session', { opening: { settings: { model: 'large' } } })).toEqual(refusal)
    expect(await play('allowed', { input: { prompt: '[]', model: 'small-2' } })).toBe(undefined)
    expect(await play('own', {})).toBe(undefined)
    await host.stop()
  } finally {
    await listed.close()
  }
})

test('the image of the sandbox pins the package of every engine of the table', () => {
  const file = new URL('../../../../apps/sandbox/package.json', import.meta.url)
  const { dependencies } = JSON.parse(readFileSync(file, 'utf8')) as { dependencies: object }
  expect(Object.keys(dependencies)).toEqual(engineDescriptions.map(({ packageName }) => packageName))
})
