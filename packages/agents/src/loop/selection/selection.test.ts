import * as v from 'valibot'
import { expect, test } from 'vitest'
import { type Tool, tool } from '../../tools/tool.ts'
import { findToolsTool } from './find-tools.ts'
import { manyTools, PROMPTS } from './many-tools.suite.ts'
import { selectTools } from './selection.ts'
import { toolIndex } from './tool-index.ts'
import { wordsIn } from './words.ts'

const tools = manyTools()

test('[N102] of 200 tools, the right one is offered for at least 36 of 40 prompts', () => {
  expect([tools.length, PROMPTS.length]).toEqual([200, 40])
  const search = findToolsTool(tools, () => [])
  const missed = PROMPTS.filter(([prompt, name]) => !selectTools([search, ...tools], prompt, []).tools.includes(name))
  expect(missed.length, missed.map(([prompt, name]) => `${name}: ${prompt}`).join('\n')).toBeLessThanOrEqual(4)
})

test.each([
  ['listOpenIssues', ['list', 'open', 'issu']],
  ['github_create-pull_request', ['github', 'creat', 'pull', 'request']],
  ['What is the weather like in São Paulo?', ['weath', 'são', 'paulo']],
  ['Rechnungen für', ['rechnungen', 'für']],
  ['', []],
])('[N102] the words of %j', (text, expected) => {
  expect(wordsIn(text)).toEqual(expected)
})

const made = (name: string, more: Partial<Tool> = {}): Tool =>
  tool({ name, description: `Does ${name}.`, run: () => null, ...(more.always && { always: true }) })

test('[N102] tools that are always offered come first, then the relevant ones, then found ones; 25 without those', () => {
  const many = [...Array.from({ length: 40 }, (_, index) => made(`tool${index}`)), made('core', { always: true })]
  const { tools: names, chosen } = selectTools(many, 'please run tool33 and tool7', ['tool39', 'tool33', 'gone'])
  expect(names.slice(0, 3)).toEqual(['core', 'tool7', 'tool33'])
  // The others fill the room in the order of the agent, and a found tool stands at the end.
  expect(names.slice(3, 6)).toEqual(['tool0', 'tool1', 'tool2'])
  expect(names.slice(25)).toEqual(['tool39'])
  expect([names.length, chosen.length]).toEqual([26, 24])
  expect(selectTools(many, 'please run tool33 and tool7', ['tool39', 'tool33', 'gone']).tools).toEqual(names)
})

test('[N102] more tools than there is room for are offered if they are always offered', () => {
  const many = Array.from({ length: 30 }, (_, index) => made(`tool${index}`, { always: true }))
  expect(selectTools(many, 'anything', []).tools).toHaveLength(30)
})

test('[N102] the fields of the arguments count', () => {
  const plain = tool({ name: 'alpha', description: 'Does it.', run: () => null })
  const input = v.object({ iban: v.optional(v.pipe(v.string(), v.description('The account for a salary'))) })
  const fielded = tool({ name: 'beta', description: 'Does it.', input, run: () => null })
  const index = toolIndex([plain, fielded])
  for (const query of ['my IBAN', 'the salary'])
    expect(index.search(query).map(({ tool: { name } }) => name)).toEqual(['beta'])
})
