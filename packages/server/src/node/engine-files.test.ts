// An uploaded file on its whole way: from POST /files through a server to an engine behind a runner.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { puppetEngine } from '@bridle/runners/engines/puppet.suite'
import { withoutIsolation } from '@bridle/runners/sandboxes/isolation/engine-start.suite'
import { SandboxRunner } from '@bridle/runners/server/sandbox-runner'
import { post } from '@bridle/surfaces/http/test-client.suite'
import { messageOf } from '@bridle/surfaces/openharness/engine.suite'
import { expect, test } from 'vitest'
import { HarnessServer } from './index.ts'

test('[OH106] an uploaded file reaches the engine of a server, from a prompt and from a shell', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-engine-files-'))
  const work = join(folder, 'w')
  const runner = await SandboxRunner.start({
    engines: [puppetEngine('claude')],
    workFolder: work,
    stateFolder: join(folder, 's'),
    token: 'boxed',
    ...withoutIsolation(folder),
  })
  const env = { BRIDLE_RUNNER_URL: runner.url, BRIDLE_RUNNER_TOKEN: 'boxed', ANTHROPIC_API_KEY: 'k' }
  const server = await HarnessServer.start({ port: 0, data: join(folder, 'd'), store: 'memory', env, log: () => {} })
  const upload = async (content: string) => {
    const init = { method: 'POST', body: content, headers: { 'content-type': 'text/plain' } }
    const response = await fetch(`${server.url}/files?filename=${encodeURIComponent('../a b.txt')}`, init)
    return ((await response.json()) as { ref_id: string }).ref_id
  }
  const contentIn = (text: unknown) => {
    const [, path = ''] = /^- (\S+) \(a_b\.txt, text\/plain/m.exec(String(text)) ?? []
    return readFileSync(resolve(work, path), 'utf8')
  }
  try {
    const [one, two] = await Promise.all(['first', 'second'].map(upload))
    await post(`${server.url}/agents/claude/s`, { prompt: 'Read.', attachments: [{ ref_id: one }] })
    const { body } = await post(
      `${server.url}/v1/openharness`,
      messageOf({ user_intent: 'Read.', task_hint: { plugin_id: 'claude' }, attachments: [{ ref_id: two }] }),
    )
    const response = body.response as { action_directives?: { payload?: { text?: string } }[] }
    expect(contentIn(response.action_directives?.[0]?.payload?.text)).toBe('second')
    expect(readFileSync(join(folder, 's-files', String(one), 'a_b.txt'), 'utf8')).toBe('first')
  } finally {
    await server.close()
    await runner.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
