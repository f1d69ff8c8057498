// claude.md, word for word: in `npm run test:long` with Claude Code in its sandbox and a stub of its provider, and in every run with
// an agent in its place that does the same work.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startAnthropicStub } from '@bridle/runners/engines/claude/anthropic-stub.suite'
import { engineEnv, noEngines } from '@bridle/runners/engines/engines.suite'
import { afterEach, expect, test } from 'vitest'
import { needs } from '../needs.ts'
import { isThorough } from '../variants.ts'
import { CODER, turnOf } from './claude-work.suite.ts'
import { TutorialProject } from './project.suite.ts'

let project: TutorialProject | null = null
afterEach(async () => {
  await project?.end()
  project = null
})

/** Commits need a name. */
const gitEnv = {
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' },
}

test('claude.md, with an agent in the place of Claude Code', async () => {
  const names = ["'claude'", '\\"claude\\"', 'run claude', 'chat claude']
  const replaced = Object.fromEntries(names.map((name) => [name, name.replace('claude', 'coder')]))
  project = await TutorialProject.create({ env: gitEnv, replaced })
  mkdirSync(join(project.folder, 'agents'))
  writeFileSync(join(project.folder, 'agents/coder.ts'), CODER)
  await project.play('claude.md')
})

if (isThorough)
  test.skipIf(noEngines !== null || needs('bubblewrap') !== null)('claude.md', async () => {
    const stub = await startAnthropicStub(turnOf)
    const key = 'sk-ant-api03-the-key-of-ada'
    const env = { ...gitEnv, ...engineEnv(), ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: stub.url }
    project = await TutorialProject.create({ env })
    await project.play('claude.md').finally(() => stub.close())
    expect(stub.requests.length).toBeGreaterThan(7)
    for (const { headers } of stub.requests) expect(headers['x-api-key']).toBe(key)
  })
