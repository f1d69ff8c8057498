import { expect, test } from 'vitest'
import { agent } from './agent.ts'
import { tool } from './tools/tool.ts'

const make = (more: object) => () => agent({ name: 'reviewer', engine: 'claude', ...more } as never)
const look = tool({ name: 'look', description: 'Looks.', effect: 'pure', run: () => null })

test('[N259] an agent on an engine is a frozen value with its engine and what it sets there', () => {
  const made = agent({
    ...{ name: 'reviewer', engine: 'claude', description: 'Reviews', triggers: { webhook: true } },
    ...{ instructions: { file: './reviewer.md' }, model: 'opus', models: ['claude-*'], effort: 'high', tools: [look] },
    ...{ mcp: { docs: { url: 'https://docs.test' } }, repository: 'none', permissions: 'plan' },
    budget: { cost_usd: 2, turns: 30 },
  })
  expect(made).toMatchObject({ name: 'reviewer', description: 'Reviews', triggers: { webhook: true } })
  expect(made).toMatchObject({ run: null, model: null, instructions: null, tools: [] })
  expect(made.engine).toEqual({
    ...{ name: 'claude', instructions: { file: './reviewer.md' }, model: 'opus', models: ['claude-*'], effort: 'high' },
    ...{ tools: [look], mcp: { docs: { url: 'https://docs.test' } }, repository: 'none', permissions: 'plan' },
    budget: { cost_usd: 2, turns: 30 },
  })
  expect(Object.isFrozen(made) && Object.isFrozen(made.engine)).toBe(true)
  expect(agent({ name: 'plain', engine: 'codex' }).engine).toEqual({ name: 'codex' })
})

test.each<[string, object, RegExp]>([
  ['an engine and a function', { run: () => null }, /"reviewer" has both run and engine/],
  ['an engine that is no name', { engine: 7 }, /engine of "reviewer" is not the name of an engine/],
  ['an empty engine', { engine: '' }, /engine of "reviewer" is not the name of an engine/],
  ['a schema', { input: {} }, /the input of "reviewer" is not a Standard Schema/],
  ['a policy', { policy: [] }, /policy of "reviewer" is for agents with a model or a run function/],
  ['an odd durable', { durable: false }, /durable of "reviewer" is for agents with a model or a run function/],
  ['a list of models', { model: ['a/b'] }, /model of "reviewer" is not the name of a model/],
  ['instructions that are a function', { instructions: () => '' }, /instructions of "reviewer" is not a text or/],
  ['instructions with another field', { instructions: { file: 'a', url: 'b' } }, /instructions of "reviewer" is not a/],
  ['patterns that are no list', { models: 'claude-*' }, /models of "reviewer" is not a list of texts/],
  ['an effort that is a number', { effort: 3 }, /effort of "reviewer" is not a text/],
  ['a tool that is none', { tools: [{ name: 'look' }] }, /tools of "reviewer" is not a list of tools/],
  ['two tools of a name', { tools: [look, look] }, /"reviewer" has two tools with the name "look"/],
  ['servers in a list', { mcp: [] }, /mcp of "reviewer" is not an object/],
  ['an odd repository', { repository: 'all' }, /repository of "reviewer" is not "instructions" or "none"/],
  ['an odd mode', { permissions: 'yolo' }, /permissions of "reviewer" is not one of plan, default, acceptEdits/],
  ['a misspelt budget', { budget: { cost: 1 } }, /budget of "reviewer": "cost" is no field/],
  ['a budget below zero', { budget: { cost_usd: -1 } }, /budget of "reviewer" is not \{ cost_usd, turns \}/],
  ['half a turn', { budget: { turns: 0.5 } }, /budget of "reviewer" is not \{ cost_usd, turns \}/],
  ['a misspelt field', { efort: 'low' }, /"reviewer": "efort" is no field. Did you mean "effort"\?/],
])('[N260] %s is refused', (_name, more, message) => expect(make(more)).toThrow(message))

test.each(['effort', 'mcp', 'models', 'permissions', 'budget', 'repository'])(
  '[N260] %s without an engine is refused',
  (field) => {
    for (const kind of [{ model: 'a/b' }, { run: () => null }])
      expect(() => agent({ name: 'a', ...kind, [field]: 'x' } as never)).toThrow(
        `${field} of "a" is for agents with an engine: give it one, or leave it out.`,
      )
  },
)
