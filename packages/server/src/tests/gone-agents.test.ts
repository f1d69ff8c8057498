// Sessions whose agent is no longer there when the server starts again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HarnessServer, type ServerOptions } from '../node/index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-gone-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = (options: ServerOptions = {}) =>
  HarnessServer.start({ port: 0, data: folder, tokenPaceMs: 0, log: () => {}, env: {}, ...options })

const asking = agent({
  name: 'asking',
  run: async ({ input, session }) => {
    await session.text('Hello. ')
    if ((input as { prompt: string }).prompt === 'ask') await session.approval({ subject: 'end', reason: 'last' })
    return 'done'
  },
})
const other = agent({ name: 'other', run: () => 'other' })

const statusOf = async (url: string, id: string) => (await get(`${url}/sessions/${id}`)).body.status
const until = async (holds: () => Promise<boolean>) => {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 500) throw new Error('It never came to that.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('[N59] can be read, and a run that is to go on fails with that reason; other agents work', async () => {
  const first = await start({ agents: [asking, other] })
  await post(`${first.url}/agents/asking/over`, { prompt: 'go' })
  for (const id of ['chat', 'later']) post(`${first.url}/agents/asking/${id}`, { prompt: 'ask' }).catch(() => {})
  post(`${first.url}/sessions`, { agent: 'asking', session_id: 'work', prompt: 'ask' }).catch(() => {})
  const waiting = ['chat', 'later']
  for (const id of waiting) await until(async () => (await statusOf(first.url, id)) === 'awaiting_approval')
  await first.close()

  const second = await start({ agents: [other] })
  const { url } = second
  expect((await get(`${url}/sessions/over`)).body.status).toBe('idle')
  expect((await post(`${url}/agents/other/new`, { prompt: 'go' })).body).toMatchObject({ result: 'other' })
  // Nothing wakes a run that waits, so that the agent may come back first.
  expect(await statusOf(url, 'later')).toBe('awaiting_approval')
  const { approvals } = (await get(`${url}/sessions/chat`)).body as { approvals: { id: string }[] }
  expect((await post(`${url}/sessions/chat/approvals/${approvals[0]?.id}/approve`, {})).status).toBe(200)
  await until(async () => (await statusOf(url, 'chat')) === 'failed')
  expect((await get(`${url}/sessions/chat`)).body.lastError).toContain('The agent "asking" is no longer there')
  expect((await post(`${url}/agents/asking/new`, { prompt: 'go' })).status).toBe(404)
  await second.close()

  const third = await start({ agents: [asking, other] })
  const open = (await get(`${third.url}/sessions/later`)).body as { approvals: { id: string }[] }
  await post(`${third.url}/sessions/later/approvals/${open.approvals[0]?.id}/approve`, {})
  await until(async () => (await statusOf(third.url, 'later')) === 'idle')
  await third.close()
})
