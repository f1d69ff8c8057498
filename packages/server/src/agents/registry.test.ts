import { agent } from '@bridle/agents/agent'
import type { LanguageModel } from '@bridle/agents/model/model'
import { subagent } from '@bridle/agents/subagents/subagent'
import { tool } from '@bridle/agents/tools/tool'
import type { ReportItem } from '@bridle/kernel/commands'
import { digest, VirtualClock } from '@bridle/kernel/host/host.suite'
import type { Job } from '@bridle/kernel/ports/runner'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { createAssistant } from '../models/assistant.ts'
import { AgentRegistry, defaultAgent } from './registry.ts'

type Needs = { readonly claude?: string | null; readonly assistant?: string | null }
test.each<[string, { BRIDLE_AGENT?: string }, Needs, string]>([
  ['the one that was set', { BRIDLE_AGENT: 'mine' }, { claude: null, assistant: null }, 'mine'],
  ['claude, where nothing is missing for it', {}, { claude: null, assistant: null }, 'claude'],
  [
    'the assistant, where claude lacks something',
    {},
    { claude: 'Set ANTHROPIC_API_KEY.', assistant: null },
    'assistant',
  ],
  ['the scripted one, where both do', {}, { claude: 'Set a key.', assistant: 'Set BRIDLE_MODEL.' }, 'scripted'],
  ['the scripted one, where there is no other', { BRIDLE_AGENT: '' }, {}, 'scripted'],
])('[T2] the default agent is %s', (_name, env, agents, expected) => {
  const infos = new Map(Object.entries(agents).map(([name, needs]) => [name, { needs }]))
  expect(defaultAgent(infos, env)).toBe(expected)
})

test('[H152] an agent names the models that it asks, in order; one without a model, or whose model is not set, names none', () => {
  const registry = new AgentRegistry({ clock: new VirtualClock(), digest })
  const asked = {
    specificationVersion: 'v3',
    provider: 'openai.chat',
    modelId: 'small',
    doStream: async () => ({}),
  } as unknown as LanguageModel
  const source = { missing: () => null, providerPlace: () => null }
  registry.addDefault(createAssistant({}, source, 'node').definition, () => 'Set BRIDLE_MODEL.')
  registry.add(agent({ name: 'two', model: ['anthropic/large', asked] }))
  registry.add(agent({ name: 'plain', run: () => 'x' }))
  const models = () => [...registry.agents.values()].map((info) => [info.name, info.models])
  expect(models()).toEqual([
    ['assistant', undefined],
    ['two', ['anthropic/large', 'openai.chat/small']],
    ['plain', undefined],
  ])
  registry.addDefault(
    createAssistant({ BRIDLE_MODEL: 'anthropic/a, openai/b' }, source, 'cloudflare').definition,
    () => null,
  )
  expect(registry.agents.get('assistant')?.models).toEqual(['anthropic/a', 'openai/b'])
})

test("[N107] an agent of the user's own takes the place of a default one, which comes back when it is gone", async () => {
  const registry = new AgentRegistry({ clock: new VirtualClock(), digest })
  let needs: string | null = 'Set it up.'
  registry.addDefault(agent({ name: 'assistant', description: 'ours', model: 'a/b' }), () => needs)
  const listed = () => [...registry.agents.values()].map((info) => [info.name, info.description, info.needs])
  expect(listed()).toEqual([['assistant', 'ours', 'Set it up.']])
  expect(registry.hasModel('assistant')).toBe(true)
  needs = null
  expect(listed()).toEqual([['assistant', 'ours', null]])

  const definition = agent({ name: 'assistant', description: 'mine', run: () => 'x' })
  expect(registry.load([{ file: 'agents/assistant.ts', definition }])).toEqual([])
  expect(listed()).toEqual([['assistant', 'mine', null]])
  expect(registry.hasModel('assistant')).toBe(false)
  registry.load([{ file: 'agents/assistant.ts', name: 'assistant', problem: 'SyntaxError' }])
  expect(listed()).toEqual([['assistant', '', 'agents/assistant.ts: SyntaxError']])
  expect(registry.hasModel('assistant')).toBe(false)
  registry.load([])
  expect(listed()).toEqual([['assistant', 'ours', null]])

  registry.add(definition)
  expect(listed()).toEqual([['assistant', 'mine', null]])
  expect(() => registry.add(definition)).toThrow('two agents named "assistant"')
})

test('[N23] an agent whose model cannot be told of a schema is refused when the server starts, and the others work', () => {
  const model = {
    specificationVersion: 'v3',
    provider: 'p',
    modelId: 'm',
    doStream: () => new Promise<never>(() => {}),
  } as const
  const later = tool({ name: 'later', description: 'Waits.', input: v.object({ until: v.date() }), run: () => null })
  const broken = agent({ name: 'broken', model, tools: [later] })
  const unclear = agent({ name: 'unclear', model, output: v.object({ at: v.date() }) })
  const good = agent({ name: 'good', model, output: v.array(v.string()) })
  // A function is never told to a model.
  const plain = agent({ name: 'plain', output: v.object({ at: v.date() }), run: () => ({ at: new Date(0) }) })

  const problem =
    'The input of the tool "later" cannot be written as JSON Schema, which the model needs: The "date" schema cannot be converted to JSON Schema.'
  const registry = new AgentRegistry({ clock: new VirtualClock(), digest })
  expect(() => registry.add(broken)).toThrow(problem)
  const files = [broken, unclear, good, plain].map((definition) => ({
    file: `agents/${definition.name}.ts`,
    definition,
  }))
  expect(registry.load(files)).toEqual([
    { file: 'agents/broken.ts', name: 'broken', problem },
    {
      ...{ file: 'agents/unclear.ts', name: 'unclear' },
      problem: expect.stringMatching(/^The output of "unclear" cannot be written/),
    },
  ])
  expect([...registry.agents.values()].map(({ name, needs }) => [name, needs === null])).toEqual([
    ['good', true],
    ['plain', true],
    ['broken', false],
    ['unclear', false],
  ])
})

test('[N95] a rule that matches no tool is a warning, and stops nothing', () => {
  const doStream = () => new Promise<never>(() => {})
  const model = { specificationVersion: 'v3', provider: 'p', modelId: 'm', doStream } as const
  const shell = tool({ name: 'shell', description: 'Runs.', run: () => null })
  const source = { name: 'others', open: () => ({ tools: [] }) }
  const policy = [
    { tool: 'sehll', do: 'deny' },
    { tool: 'sh*', do: 'ask' },
    { tool: 'github_*', do: 'ask' },
  ] as const
  const registry = new AgentRegistry({ clock: new VirtualClock(), digest })
  registry.add(agent({ name: 'warned', model, tools: [shell], policy }))
  registry.add(agent({ name: 'open', model, tools: [shell, source], policy }))
  registry.add(agent({ name: 'fine', model, tools: [shell], policy: policy.slice(1, 2) }))
  expect(registry.agents.get('warned')?.warnings).toEqual([
    'Rule 1 of the policy, on "sehll", matches no tool of the agent. Did you mean "shell"?',
    'Rule 3 of the policy, on "github_*", matches no tool of the agent. The tools are: shell.',
  ])
  for (const name of ['open', 'fine']) expect(registry.agents.get(name)?.warnings).toBeUndefined()
})

test('[N125] an agent that comes with another one has a runner as long as that one is served, and is listed nowhere', async () => {
  const registry = new AgentRegistry({ clock: new VirtualClock(), digest })
  const job = (name: string): Job => ({
    ...{ key: { tenant: 't', agent: name, id: 's' }, runId: 'r-1', attempt: 1, prompt: 'x', input: null },
    ...{ resume: null, parent: null, settings: {}, epoch: 1, handle: null, frame: 0, awaiting: [] },
  })
  const endOf = async (name: string) => {
    const items: ReportItem[] = []
    const report = async (reported: readonly ReportItem[]) => void items.push(...reported)
    const session = { cache: new Map() }
    const reporter = {
      report,
      session,
      onClose: () => {},
      follow: () => () => {},
      closed: false,
      token: async () => {},
      whenCommitted: async () => {},
    }
    await registry.runnerOf(name).start(job(name), reporter as unknown as RunReporter)
    return items.find(({ type }) => type === 'finished' || type === 'failed')
  }
  const below = (result: string) => agent({ name: 'b.c', durable: false, run: () => result })
  const middle = (result: string) => agent({ name: 'm', model: 'a/b', use: [subagent({ agents: [below(result)] })] })
  const top = (result: string) => agent({ name: 'top.v2', model: 'a/b', use: [subagent({ agents: [middle(result)] })] })
  const gone = { type: 'failed', reason: 'agent_unavailable' }
  registry.load([{ file: 'agents/top.ts', definition: top('first') }])
  expect([...registry.agents.keys()]).toEqual(['top.v2'])
  expect(registry.hasModel('top.v2.m')).toBe(true)
  expect(await endOf('top.v2.m.b.c')).toMatchObject({ type: 'finished', result: 'first' })
  for (const name of ['top.v2.other', 'top.v2.m.b', 'top.m.b.c', 'm.b.c']) expect(await endOf(name)).toMatchObject(gone)
  registry.load([{ file: 'agents/top.ts', definition: top('second') }])
  expect(await endOf('top.v2.m.b.c')).toMatchObject({ type: 'finished', result: 'second' })
  registry.load([])
  expect(await endOf('top.v2.m.b.c')).toMatchObject(gone)
})

test('[N266] an agent with folders of skills says that this server reads none', () => {
  const definition = agent({ name: 'own', model: 'openai/small', skills: ['skills'] })
  const ports = { clock: new VirtualClock(), digest }
  const skillFolders = () => ({ skills: [], files: [], leftOut: [], ignored: [] })
  const needsOf = (registry: AgentRegistry) => {
    registry.add(definition)
    return registry.agents.get('own')?.needs ?? null
  }
  expect(needsOf(new AgentRegistry(ports))).toContain('This server reads no folders of skills.')
  expect(needsOf(new AgentRegistry({ ...ports, skillFolders }))).toBe(null)
})
