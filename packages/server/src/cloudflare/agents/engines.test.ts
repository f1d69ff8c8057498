import { claudeDescription } from '@bridle/runners/engines/claude/description'
import { expect, test } from 'vitest'
import { engineInfo } from './engines.ts'

test('[H173][R28] the input of an engine is checked in a Worker as on Node', async () => {
  const agent = engineInfo(claudeDescription, { BRIDLE_RUNNER_URL: 'https://runner.test' } as never, {})
  expect(await agent.accept({ prompt: 'a', max_budget_us: 1 })).toEqual({
    problem: '"max_budget_us" is not known here. Did you mean "max_budget_usd"?',
  })
  expect(await agent.accept({ prompt: 'a', max_turns: '3' })).toEqual({ problem: '"max_turns" must be a count.' })
  expect(await agent.accept({ prompt: 'a', max_turns: 3 })).toEqual({
    prompt: 'a',
    input: { prompt: 'a', max_turns: 3 },
  })
  const listed = engineInfo(claudeDescription, {} as never, { models: ['small*'] })
  expect(await listed.accept({ prompt: 'a', model: 'large' })).toEqual({
    problem: 'The engine may not use the model "large". It may use: small*.',
  })
  expect(agent.inputSchema?.()).toMatchObject({ properties: { max_turns: { type: 'integer' } } })
})
