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
