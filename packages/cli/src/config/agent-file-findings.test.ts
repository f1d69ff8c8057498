import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { afterEach, expect, test } from 'vitest'
import { agentFileFindings } from './agent-file-findings.ts'

const roots: string[] = []
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true })
})

const entry = new URL('../../../bridle/src/index.ts', import.meta.url).href
const projectWith = (...names: readonly string[]): string => {
  const root = mkdtempSync(join(tmpdir(), 'bridle-findings-'))
  roots.push(root)
  mkdirSync(join(root, 'agents'))
  for (const name of names)
    writeFileSync(
      join(root, 'agents', `${name}.ts`),
      `import { agent } from '${entry}'\nexport default agent({ name: '${name}', run: () => 'hi' })\n`,
    )
  return root
}
const taken = (name: string) => ({
  ...{ check: `agent ${name}`, state: 'wrong' },
  detail: `agents/${name}.ts: The name "${name}" is taken by an agent of the server. Choose another in this file, such as agent({ name: 'my-${name}', … }).`,
})
const good = (name: string) => ({ check: `agent ${name}`, state: 'ok', detail: `agents/${name}.ts` })

test('[C302] a file with the name of an agent of the server is wrong, and the finding says what to do', async () => {
  const agentsRoot = projectWith('claude', 'codex', 'scripted', 'assistant', 'voice', 'mine', 'given')
  const given = agent({ name: 'given', run: () => 'hi' })
  expect(await agentFileFindings({ agentsRoot, agents: [given] }, {})).toEqual([
    good('assistant'),
    taken('claude'),
    taken('codex'),
    taken('given'),
    good('mine'),
    taken('scripted'),
    good('voice'),
  ])
})

test('[C302] a name of the package is free where the settings leave its agent out; without files there is nothing to say', async () => {
  const agentsRoot = projectWith('claude', 'scripted')
  expect(await agentFileFindings({ agentsRoot, builtInAgents: ['scripted'] }, {})).toEqual([
    good('claude'),
    taken('scripted'),
  ])
  expect(await agentFileFindings({ agentsRoot: false }, {})).toEqual([])
})

test('[EN21] [EN24] an agent on an engine is checked without starting it: its engine, its effort, its instructions', async () => {
  const agentsRoot = projectWith()
  const write = (name: string, fields: string) =>
    writeFileSync(
      join(agentsRoot, 'agents', `${name}.ts`),
      `import { agent } from '${entry}'\nexport default agent({ name: '${name}', ${fields} })\n`,
    )
  write('a-reviewer', `engine: 'claude', instructions: { file: './rules.md' }`)
  write('b-lost', `engine: 'codex', instructions: { file: './gone.md' }`)
  write('c-odd', `engine: 'claud'`)
  write('d-sharp', `engine: 'codex', effort: 'sharp'`)
  writeFileSync(join(agentsRoot, 'rules.md'), 'Be kind.')
  const file = (name: string) => `agents/${name}.ts`
  expect(await agentFileFindings({ agentsRoot }, {})).toEqual([
    good('a-reviewer'),
    {
      ...{ check: 'agent b-lost', state: 'note' },
      detail: 'not available: The instructions in ./gone.md cannot be read: there is no such file.',
    },
    {
      ...{ check: 'agent c-odd', state: 'wrong' },
      detail: `${file('c-odd')}: There is no engine "claud". Did you mean "claude"?`,
    },
    {
      ...{ check: 'agent d-sharp', state: 'wrong' },
      detail: `${file('d-sharp')}: The engine has no effort "sharp". It has: low, medium, high, xhigh, max, ultra.`,
    },
  ])
})
