// `--agents`: where the files of agents are.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentsSetting } from './agents-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'bridle-agents-setting-'))
const at = (...path: string[]) => join(root, ...path)
beforeAll(() => {
  for (const folder of ['bots', 'shop/agents', 'desk']) mkdirSync(at(folder), { recursive: true })
  writeFileSync(at('file'), '')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('[C102] the flag, else the environment, else the settings file, else what the server does', () => {
  const env = { BRIDLE_AGENTS: at('bots') }
  expect(agentsSetting({ agents: at('desk') }, env, { agents: at('shop') })).toBe(at('desk'))
  expect(agentsSetting({}, env, { agents: at('desk') })).toBe(at('bots'))
  expect(agentsSetting({}, { BRIDLE_AGENTS: '' }, { agents: at('desk') })).toBe(at('desk'))
  expect(agentsSetting({}, {}, { agents: [] })).toEqual([])
  expect(agentsSetting({}, {})).toBeUndefined()
})

test('[C102] a project stands for its folder agents', () => {
  expect(agentsSetting({ agents: at('shop') }, {})).toBe(at('shop', 'agents'))
})

test.each(['nowhere', 'file'])('[C102] %s is a usage error that names it', (name) => {
  expect(() => agentsSetting({ agents: at(name) }, {})).toThrow(
    expect.objectContaining({ code: 2, message: `There is no folder "${at(name)}" with agents.` }),
  )
})
