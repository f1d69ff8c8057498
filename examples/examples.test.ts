// Every example, on a real server that finds it in its folder, over HTTP.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { get, isIdle, post, readFrames, typesOf } from '@bridle/surfaces/http/test-client.suite'
import { startDevServer } from 'bridle/node'
import { afterAll, expect, test, vi } from 'vitest'

const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

// The examples play a script where no model is named.
vi.stubEnv('BRIDLE_MODEL', '')

const serve = async (example: string, env: NodeJS.ProcessEnv = {}): Promise<string> => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-example-'))
  const agentsRoot = fileURLToPath(new URL(`./${example}/`, import.meta.url))
  const server = await startDevServer({ port: 0, data, agentsRoot, env, log: () => {}, tokenPaceMs: 0 })
  closing.push(async () => {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  })
  return server.url
}

const asked = async (session: string): Promise<{ approvalId?: string; args?: unknown }> => {
  const frames = await readFrames(`${session}/stream`, (all) => all.at(-1)?.data.type === 'approval_requested')
  return frames.at(-1)?.data.data ?? {}
}

test('hello greets word by word', async () => {
  const at = `${await serve('hello')}/agents/hello/first`
  expect(await post(at, { prompt: ' Ada ' })).toEqual({
    status: 200,
    body: { result: 'Hello, Ada! Nice to meet you.', sessionId: 'first', agentPath: '/agents/hello/first' },
  })
  const frames = await readFrames(`${at}/stream`, isIdle)
  expect(typesOf(frames)).toEqual(['prompt_start', ...Array(7).fill('text_delta'), 'result', 'idle'])
  const bad = await post(at, { name: 'Ada' })
  expect([bad.status, bad.body.error]).toEqual([400, expect.stringMatching(/^The input does not fit: prompt: /)])
})

test('triage asks before it closes a duplicate', async () => {
  const url = await serve('triage')
  const at = `${url}/agents/triage`
  expect((await post(`${at}/new`, { number: 1, title: 'A typo' })).body.result).toEqual({
    severity: 'low',
    duplicateOf: null,
    closed: false,
  })

  const closes = post(`${at}/twice`, { number: 42, title: 'Crash on empty input' })
  const { approvalId, args } = await asked(`${at}/twice`)
  expect(args).toEqual({ number: 42, comment: 'Duplicate of #7.' })
  const edited = { number: 42, comment: 'See #7.' }
  await post(`${url}/sessions/twice/approvals/${approvalId}/approve`, { args: edited })
  expect((await closes).body.result).toEqual({ severity: 'high', duplicateOf: 7, closed: true })
  const frames = await readFrames(`${at}/twice/stream`, isIdle)
  const ends = frames.filter((frame) => frame.data.type === 'tool_end').map((frame) => frame.data.data)
  expect(ends).toMatchObject([
    { toolName: 'search_issues', isError: false, result: [7] },
    { toolName: 'close_issue', isError: false, result: edited },
    { toolName: 'answer', isError: false },
  ])
})

test("triage does what its README shows, with the README's own requests", async () => {
  const readme = readFileSync(new URL('./triage/README.md', import.meta.url), 'utf8')
  const bodies = [...readme.matchAll(/ -d '(.*)'/g)].map(([, body = '']) => JSON.parse(body))
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')
  expect(bodies).toHaveLength(2)
  const url = await serve('triage')
  const closes = post(`${url}${shown.agentPath}`, bodies[0])
  const { approvalId } = await asked(`${url}${shown.agentPath}`)
  const { body } = await get(`${url}/approvals?status=pending`)
  expect(JSON.stringify(body)).toContain('Close #42? Duplicate of #7.')
  await post(`${url}/sessions/${shown.sessionId}/approvals/${approvalId}/approve`, bodies[1])
  expect((await closes).body).toEqual(shown)
})

test('triage leaves the issue open when told so', async () => {
  const url = await serve('triage')
  const stays = post(`${url}/agents/triage/stays`, { number: 43, title: 'Slow start on Windows' })
  const { approvalId } = await asked(`${url}/agents/triage/stays`)
  await post(`${url}/sessions/stays/approvals/${approvalId}/reject`, { reason: 'It is another one.' })
  expect((await stays).body.result).toEqual({ severity: 'medium', duplicateOf: 12, closed: false })
})

test('triage says which field of an issue is wrong, and leaves no session behind', async () => {
  const url = await serve('triage')
  expect(await post(`${url}/agents/triage/bad`, { number: 0 })).toEqual({
    status: 400,
    body: { error: expect.stringMatching(/^The input does not fit: number: .*; title: /) },
  })
  expect((await get(`${url}/sessions/bad`)).status).toBe(404)
})

test('in production the one with a webhook trigger is exposed', async () => {
  const env = { NODE_ENV: 'production' }
  const [triage, hello] = [await serve('triage', env), await serve('hello', env)]
  expect((await post(`${triage}/agents/triage/x`, { number: 1, title: 'A typo' })).status).toBe(200)
  expect((await post(`${hello}/agents/hello/x`, { prompt: 'Ada' })).status).toBe(403)
})
