import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { tool } from '@bridle/agents/tools/tool'
import { claudeDescription } from '@bridle/runners/engines/claude/description'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { definitionProblem } from './definition-problem.ts'
import { engineSetup } from './engine-setup.ts'
import { instructionsReader } from './instructions-file.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-instructions-'))
  writeFileSync(join(folder, 'rules.md'), 'House rules.\n')
  writeFileSync(join(folder, 'latin.md'), Buffer.from([0x66, 0xfc, 0x72]))
  writeFileSync(join(folder, 'long.md'), 'x'.repeat(256 * 1024 + 1))
  mkdirSync(join(folder, 'folder.md'))
  symlinkSync('gone.md', join(folder, 'link.md'))
  execFileSync('mkfifo', [join(folder, 'pipe.md')])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const tools = ['look', 'deploy'].map((name) => tool({ name, description: name, run: () => null }))
const [look, deploy] = tools as [(typeof tools)[number], (typeof tools)[number]]

test('[EN23] a definition counts in place of the settings of its engine, and instructions, tools and servers add up', () => {
  const engine = {
    ...{ instructions: { file: 'rules.md' }, model: 'opus', effort: 'low', permission_mode: 'acceptEdits' as const },
    ...{ max_budget_usd: 5, max_turns: 9, tools: [look], mcp: { docs: { url: 'a' }, files: { command: 'b' } } },
  }
  const definition = agent({
    ...{ name: 'reviewer', engine: 'claude', instructions: ' Review. ', model: 'haiku', permissions: 'plan' },
    ...{ budget: { cost_usd: 1 }, tools: [deploy], mcp: { docs: { url: 'c' } }, repository: 'none' },
  })
  const setup = engineSetup(claudeDescription, engine, definition, instructionsReader(folder))
  expect(setup).toMatchObject({ instructions: 'House rules.\n\nReview.', problem: null })
  expect(setup.settings).toEqual({
    ...{ model: 'haiku', effort: 'low', permission_mode: 'plan', max_budget_usd: 1, max_turns: 9 },
  })
  expect(setup.config).toMatchObject({
    ...{ tools: [look, deploy], mcp: { docs: { url: 'c' }, files: { command: 'b' } }, repository: 'none' },
  })
  const plain = engineSetup(claudeDescription, engine, null, instructionsReader(folder))
  expect(plain.settings).toEqual({
    ...{ model: 'opus', effort: 'low', permission_mode: 'acceptEdits', max_budget_usd: 5, max_turns: 9 },
  })
  expect(engineSetup(claudeDescription)).toMatchObject({ settings: {}, problem: null, providerModels: null })
})

test.each([
  ['gone.md', 'there is no such file.'],
  ['link.md', 'there is no such file.'],
  ['folder.md', 'it is not a file.'],
  ['pipe.md', 'it is not a file.'],
  ['latin.md', 'it is not UTF-8.'],
])('[EN21] instructions in %s: %s', (file, reason) => {
  const { problem } = engineSetup(claudeDescription, { instructions: { file } }, null, instructionsReader(folder))
  expect(problem).toBe(`The instructions in ${file} cannot be read: ${reason}`)
})

test('[EN21] instructions that are too long are refused, and none of the folders of the machine is named', () => {
  const read = instructionsReader(folder)
  expect(read('long.md')).toEqual({ problem: 'The instructions in long.md are longer than 256 KiB.' })
  expect(JSON.stringify(read('gone.md'))).not.toContain(folder)
})

test('[EN24] [EN30] an effort that the engine does not have is a sentence with those that it has', () => {
  const list = 'The engine has no effort "sharp". It has: low, medium, high, xhigh, max.'
  expect(engineSetup(claudeDescription, { effort: 'sharp' }).problem).toBe(list)
  const definition = agent({ name: 'a', engine: 'claude', effort: 'sharp' })
  expect(definitionProblem(definition, new Set())).toBe(list)
})

test('[EN24] an engine that is not there is a sentence with the nearest one', () => {
  const problemOf = (engine: string) => definitionProblem(agent({ name: 'a', engine }), new Set())
  expect([problemOf('claud'), problemOf('gemini'), problemOf('codex')]).toEqual([
    'There is no engine "claud". Did you mean "claude"?',
    'There is no engine "gemini". There are: claude, codex.',
    null,
  ])
})
