import { agent } from '@bridle/agents/agent'
import { subagent } from '@bridle/agents/subagents/subagent'
import { tool } from '@bridle/agents/tools/tool'
import { claudeDescription } from '@bridle/runners/engines/claude/description'
import { expect, test } from 'vitest'
import { engineInfo, engineSetupOf } from './engines.ts'

test('[H173][R28] the input of an engine is checked in a Worker as on Node', async () => {
  const claude = engineInfo(claudeDescription, { BRIDLE_RUNNER_URL: 'https://runner.test' } as never, {})
  expect(await claude.accept({ prompt: 'a', max_budget_us: 1 })).toEqual({
    problem: '"max_budget_us" is not known here. Did you mean "max_budget_usd"?',
  })
  expect(await claude.accept({ prompt: 'a', max_turns: '3' })).toEqual({ problem: '"max_turns" must be a count.' })
  expect(await claude.accept({ prompt: 'a', max_turns: 3 })).toEqual({
    prompt: 'a',
    input: { prompt: 'a', max_turns: 3 },
  })
  const listed = engineInfo(claudeDescription, {} as never, { models: ['small*'] })
  expect(await listed.accept({ prompt: 'a', model: 'large' })).toEqual({
    problem: 'The engine may not use the model "large". It may use: small*.',
  })
  expect(claude.inputSchema?.()).toMatchObject({ properties: { max_turns: { type: 'integer' } } })
})

const reviewer = agent({ name: 'reviewer', engine: 'claude', instructions: 'Review.', effort: 'high', model: 'opus' })
const env = { BRIDLE_RUNNER_URL: 'https://runner.test' } as never

test('[EN27] a definition on an engine is served in a Worker, with its own models', () => {
  const info = engineInfo(claudeDescription, env, { models: ['claude-sonnet-*'] }, reviewer)
  expect(info).toMatchObject({
    name: 'reviewer',
    engine: 'claude',
    runnerKind: 'bridge',
    needs: null,
    models: ['opus'],
  })
  expect(info.modelChoices?.map(({ id }) => id)).toEqual(['opus', 'sonnet', 'claude-sonnet-5-5', 'claude-sonnet-5'])
})

test('[EN21] [EN27] instructions in a file are refused in a Worker with what to do', () => {
  const filed = agent({ name: 'filed', engine: 'claude', instructions: { file: './a.md' } })
  const needs = 'The instructions are in the file ./a.md, and a Worker reads no files. Give their text.'
  expect(engineInfo(claudeDescription, env, {}, filed).needs).toBe(needs)
})

test('[EN23] [EN27] budget and models of a definition limit what its key may be spent on, also below another agent', () => {
  const cheap = agent({ name: 'cheap', engine: 'claude', models: ['haiku'], budget: { cost_usd: 1, turns: 3 } })
  const editor = agent({ name: 'editor', model: 'a/b', use: [subagent({ agents: [cheap] })] })
  const options = { agents: [editor, reviewer], engines: { claude: { max_budget_usd: 9, models: ['opus'] } } }
  const setupOf = (name: string) => {
    const { settings, providerModels = null } = engineSetupOf(options, name) ?? {}
    return [settings, providerModels]
  }
  expect(setupOf('claude')).toEqual([{ model: 'opus', max_budget_usd: 9 }, ['claude-opus-*']])
  expect(setupOf('reviewer')).toEqual([{ model: 'opus', effort: 'high', max_budget_usd: 9 }, ['claude-opus-*']])
  expect(setupOf('editor.cheap')).toEqual([{ model: 'haiku', max_budget_usd: 1, max_turns: 3 }, ['claude-haiku-*']])
  expect(setupOf('editor')).toEqual([undefined, null])
})

test('[EN69] an engine in a Worker says that it cannot have tools of the operator', () => {
  const deploy = tool({ name: 'deploy', description: 'Deploys.', run: () => null })
  const env = { BRIDLE_RUNNER_URL: 'https://runner.test' } as never
  expect(engineInfo(claudeDescription, env, { tools: [deploy] }).needs).toMatch(
    /^The tools of "claude" need a server on Node/,
  )
  expect(engineInfo(claudeDescription, env, { tools: [] }).needs).toBeNull()
})
