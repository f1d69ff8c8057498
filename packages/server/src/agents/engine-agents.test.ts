// Several agents on one engine, which is a puppet behind a real runner.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { stubModel } from '@bridle/agents/loop/loop.suite'
import { subagent } from '@bridle/agents/subagents/subagent'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import { hostChildSessions } from '@bridle/kernel/host/child-sessions'
import { Host } from '@bridle/kernel/host/host'
import { memoryStore } from '@bridle/kernel/memory/memory-store'
import { claudeDescription } from '@bridle/runners/engines/claude/description'
import type { EngineConfig } from '@bridle/runners/engines/description'
import { type PuppetEngine, puppetEngine, steps, text } from '@bridle/runners/engines/puppet.suite'
import { withoutIsolation } from '@bridle/runners/sandboxes/isolation/engine-start.suite'
import { SandboxRunner } from '@bridle/runners/server/sandbox-runner'
import { testApp } from '@bridle/surfaces/http/test-app.suite'
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

let folder: string
let engine: PuppetEngine
let runner: SandboxRunner
let engines: EngineAgents
let registry: AgentRegistry
let store: ReturnType<typeof memoryStore>
let host: Host

const serve = async (claude: EngineConfig = {}) => {
  const row = { ...claudeDescription, create: () => puppetEngine('claude') }
  engines = await createEngineAgents({
    ...{ data: folder, env: {}, clock, digest, registry: [row], sandbox: { url: runner.url }, projectRoot: folder },
    engines: { claude },
  })
  registry = new AgentRegistry({ clock, digest, children: hostChildSessions(() => host) }, engines.serve)
  for (const [info, own] of engines.agents) registry.addBuiltIn(info, own)
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-engine-agents-'))
  engine = puppetEngine('claude')
  runner = await SandboxRunner.start({
    ...{ engines: [engine], workFolder: join(folder, 'work'), stateFolder: join(folder, 'state') },
    ...withoutIsolation(folder),
    env: { ANTHROPIC_API_KEY: 'key' },
  })
  await serve({ instructions: 'House rules.', effort: 'low' })
  store = memoryStore()
  host = new Host({ ...store, clock, digest, tokenPaceMs: 0, runner: (name) => registry.runnerOf(name) })
})
afterEach(async () => {
  await host.stop()
  await engines.close()
  await runner.close()
  rmSync(folder, { recursive: true, force: true })
})

const keyOf = (name: string, id = 's1'): Key => ({ tenant: 'default', agent: name, id })
const eventsOf = async (key: Key) => (await store.log.read(key, 0, 1_000)) as AnyEvent[]
const turns = async (key: Key) => (await eventsOf(key)).filter(({ type }) => type === 'turn_end').length
const lastCard = async (key: Key) =>
  (await eventsOf(key)).findLast(({ type }) => type === 'session_state')?.payload as Record<string, unknown>
const ask = async (key: Key, input: object = {}) => {
  const before = await turns(key)
  const prompt = steps(text(`${key.agent} answers.`))
  await host.send(key, { type: 'submit', prompt, input: { prompt, ...input } as never })
  await vi.waitFor(async () => expect(await turns(key)).toBe(before + 1), { timeout: 5_000 })
}

const reviewer = agent({ name: 'reviewer', engine: 'claude', instructions: 'Review.', model: 'opus', effort: 'max' })
const writer = agent({ name: 'writer', engine: 'claude', instructions: 'Write.', budget: { turns: 3 } })
const tester = agent({ name: 'tester', engine: 'claude', model: 'haiku', permissions: 'plan' })

test('[EN22] [EN23] [EN31] three agents on one engine, interleaved: each turn has the settings of its own agent and prompt', async () => {
  for (const definition of [reviewer, writer, tester]) registry.add(definition)
  const keys = ['reviewer', 'writer', 'tester'].map((name) => keyOf(name))
  for (const key of keys) await ask(key)
  const [one, two, three] = keys as [Key, Key, Key]
  await ask(one, { model: 'sonnet' })
  await ask(three, { effort: 'high', max_turns: 2 })
  await ask(two)
  const settings = {
    reviewer: { model: 'opus', effort: 'max' },
    writer: { effort: 'low', max_turns: 3 },
    tester: { model: 'haiku', effort: 'low', permission_mode: 'plan' },
  }
  expect(engine.openedWith).toEqual([
    { settings: settings.reviewer, instructions: 'House rules.\n\nReview.' },
    { settings: settings.writer, instructions: 'House rules.\n\nWrite.' },
    { settings: settings.tester, instructions: 'House rules.' },
    { settings: { ...settings.reviewer, model: 'sonnet' }, instructions: 'House rules.\n\nReview.' },
    { settings: { ...settings.tester, effort: 'high', max_turns: 2 }, instructions: 'House rules.' },
    { settings: settings.writer, instructions: 'House rules.\n\nWrite.' },
  ])
  // The second turn of each resumes the first.
  expect(engine.opened.map(({ resume }) => resume)).toEqual([null, null, null, 'start>1', 'start>1', 'start>1'])
  for (const key of keys) {
    expect(await lastCard(key)).toMatchObject({ agent_profile: key.agent, engine: 'claude', runner_kind: 'bridge' })
    expect(JSON.stringify(await eventsOf(key))).not.toContain('House rules.')
  }
  expect((await lastCard(one)).model).toBe('sonnet')
})

test('[EN22] [H209] each is listed with its engine, needs, models and efforts', async () => {
  await engines.close()
  await serve({ models: ['claude-opus-*'] })
  for (const definition of [reviewer, tester]) registry.add(definition)
  const filed = agent({ name: 'filed', engine: 'claude', description: 'Reads', instructions: { file: 'gone.md' } })
  registry.add(filed)
  const app = testApp({ agents: registry.agents })
  const { engines: own } = (await app.get('/engines')).body as { engines: { name: string; agent: string }[] }
  expect(own.map(({ name, agent: of }) => [name, of])).toEqual([['claude', 'claude']])
  const { body } = await app.get('/agents')
  const rows = (body.agents as Record<string, unknown>[]).map(
    ({ name, engine: on, available, needs, description, models, model_choices, efforts }) => ({
      ...{ name, on, available, needs, description, models, efforts },
      choices: (model_choices as { id: string }[]).map(({ id }) => id),
    }),
  )
  const opus = ['opus', 'claude-opus-5-5', 'claude-opus-5']
  const efforts = ['low', 'medium', 'high', 'xhigh', 'max']
  const common = { on: 'claude', available: true, description: 'Claude Code, in a sandbox.', efforts }
  expect(rows).toEqual([
    { ...common, name: 'claude', models: ['opus'], choices: opus },
    { ...common, name: 'reviewer', models: ['opus'], choices: opus },
    { ...common, name: 'tester', models: ['haiku'], choices: ['haiku', ...opus] },
    {
      ...{ ...common, name: 'filed', available: false, description: 'Reads', models: ['opus'], choices: opus },
      needs: 'The instructions in gone.md cannot be read: there is no such file.',
    },
  ])
})

test('[H210] a model that may not be used and an unknown effort are 400 with the list, at every door, and nothing is logged', async () => {
  await engines.close()
  await serve({ models: ['claude-opus-*'] })
  registry.add(reviewer)
  const app = testApp({ agents: registry.agents })
  const model = 'The engine may not use the model "haiku". It may use: claude-opus-*.'
  const effort = 'The engine has no effort "sharp". It has: low, medium, high, xhigh, max.'
  const doors: [string, object, string][] = [
    ['/agents/reviewer/x', { prompt: 'x', model: 'haiku' }, model],
    ['/agents/reviewer/x', { prompt: 'x', effort: 'sharp' }, effort],
    ['/chat/sessions', { agent: 'reviewer', session_id: 'x', model: 'haiku' }, model],
    ['/chat/sessions', { agent: 'reviewer', session_id: 'x', think_level: 'sharp' }, effort],
    ['/sessions', { agent: 'reviewer', session_id: 'x', prompt: 'x', think_level: 'sharp' }, effort],
    ['/sessions', { agent: 'reviewer', session_id: 'x', prompt: 'x', input: { effort: 'sharp' } }, effort],
  ]
  for (const [path, body, sentence] of doors) {
    const { status, body: answer } = await app.post(path, body)
    expect([path, status, JSON.stringify(answer)]).toEqual([
      path,
      400,
      expect.stringContaining(JSON.stringify(sentence).slice(1, -1)),
    ])
  }
  expect((await app.get('/sessions/x?agent=reviewer')).status).toBe(404)
})

test('[EN21] a run cannot begin without the instructions of its agent, also where nobody asked whether it can', async () => {
  registry.add(agent({ name: 'filed', engine: 'claude', instructions: { file: 'gone.md' } }))
  const key = keyOf('filed')
  await ask(key)
  expect((await eventsOf(key)).find(({ type }) => type === 'error')?.payload).toMatchObject({
    message: 'The instructions in gone.md cannot be read: there is no such file.',
  })
  expect(engine.opened).toEqual([])
})

test('[EN24] an invalid definition is reported for its file, and stops the start among the options', () => {
  const definition = agent({ name: 'odd', engine: 'claud' })
  const problem = 'There is no engine "claud". Did you mean "claude"?'
  expect(() => registry.add(definition)).toThrow(problem)
  expect(registry.load([{ file: 'agents/odd.ts', definition }])).toEqual([
    { file: 'agents/odd.ts', name: 'odd', problem },
  ])
  expect(registry.agents.get('odd')?.needs).toBe(`agents/odd.ts: ${problem}`)
  expect(registry.agents.get('claude')?.needs).toBeNull()
})

test('[EN25] a changed definition counts from the next turn, and a removed one refuses it', async () => {
  writeFileSync(join(folder, 'review.md'), 'First.')
  const define = (more: object) => ({
    file: 'agents/reviewer.ts',
    definition: agent({ name: 'reviewer', engine: 'claude', instructions: { file: 'review.md' }, ...more }),
  })
  expect(registry.load([define({})])).toEqual([])
  const key = keyOf('reviewer')
  await ask(key)
  writeFileSync(join(folder, 'review.md'), 'Second.')
  expect(registry.load([define({ effort: 'high' })])).toEqual([])
  await ask(key)
  expect(engine.openedWith).toEqual([
    { settings: { effort: 'low' }, instructions: 'House rules.\n\nFirst.' },
    { settings: { effort: 'high' }, instructions: 'House rules.\n\nSecond.' },
  ])
  expect(engine.opened).toEqual([{ resume: null }, { resume: 'start>1' }])
  registry.load([])
  expect(registry.agents.has('reviewer')).toBe(false)
  await ask(key)
  expect((await eventsOf(key)).findLast(({ type }) => type === 'error')?.payload).toMatchObject({
    message: 'The agent "reviewer" is not available.',
  })
})

test('[EN25] a turn that waits for an approval ends also when its definition has changed or is gone', async () => {
  const keys = ['changed', 'removed'].map((name) => keyOf(name))
  const define = (name: string, more: object = {}) => ({
    file: `agents/${name}.ts`,
    definition: agent({ name, engine: 'claude', ...more }),
  })
  for (const key of keys) {
    registry.load(keys.map(({ agent: name }) => define(name)))
    const question = { toolUseId: 't1', toolName: 'Bash', input: { command: 'true' }, reason: 'asks' }
    await host.send(key, { type: 'submit', prompt: steps({ ask: question }, text('Done.')) })
    const approval = await vi.waitFor(async () => {
      const asked = (await eventsOf(key)).find(({ type }) => type === 'approval_required')
      expect(asked).toBeDefined()
      return asked?.payload as { request_id: string }
    })
    registry.load(key.agent === 'changed' ? [define('changed', { effort: 'max' })] : [])
    await host.send(key, { type: 'approve', approvalId: approval.request_id, decision: 'approved' })
    await vi.waitFor(async () => expect(await turns(key)).toBe(1))
    expect((await eventsOf(key)).find(({ type }) => type === 'completed')).toBeDefined()
  }
})

test('[EN25] a name that moves from a model to an engine, and back, is served as what it is', async () => {
  const key = (id: string) => keyOf('mover', id)
  const onEngine = { file: 'agents/mover.ts', definition: agent({ name: 'mover', engine: 'claude' }) }
  const model = stubModel(() => ({ text: 'From the model.' }))
  const onModel = { file: 'agents/mover.ts', definition: agent({ name: 'mover', model }) }
  const identities: unknown[] = []
  for (const [at, file] of [onModel, onEngine, onModel].entries()) {
    expect(registry.load([file])).toEqual([])
    await ask(key(`s${at}`))
    identities.push((await lastCard(key(`s${at}`))).engine)
  }
  expect(identities).toEqual(['native', 'claude', 'native'])
})

test('[EN26] a model agent delegates to an agent on an engine, in a session below its own', async () => {
  const task = steps(text('Reviewed.'), { end: { kind: 'completed', result: 'Reviewed.' } })
  const model = stubModel((prompt) =>
    prompt.some(({ role }) => role === 'tool') ? { text: 'Thanks.' } : { calls: [['ask_reviewer', { task }]] },
  )
  registry.add(agent({ name: 'editor', model, use: [subagent({ agents: [reviewer] })] }))
  const key = keyOf('editor')
  await ask(key)
  expect(engine.openedWith).toEqual([
    { settings: { model: 'opus', effort: 'max' }, instructions: 'House rules.\n\nReview.' },
  ])
  expect((await eventsOf(key)).find(({ type }) => type === 'tool_outcome')?.payload).toMatchObject({ status: 'ok' })
  const { sessions } = await store.directory.list('default', { parentId: key.id, limit: 10 })
  expect(sessions.map((row) => row.key.agent)).toEqual(['editor.reviewer'])
})
