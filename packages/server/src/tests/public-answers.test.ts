// The answers to callers without credentials, and the log: no more than the documents promise.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HarnessServer, startDevServer } from '../node/index.ts'
import { openTestSocket, upgradeAnswer } from './socket-client.suite.ts'

const data = mkdtempSync(join(tmpdir(), 'bridle-told-'))
const lines: { message: string; fields: Record<string, unknown> }[] = []
const as = (token: string) => ({ authorization: `Bearer ${token}` })
let server: HarnessServer

const options = {
  authToken: 'canary-auth-token',
  tokens: ['a', 'b', 'c'].map((tenant) => ({
    token: `canary-token-${tenant}`,
    tenants: [tenant],
    user: `canary-user-${tenant}`,
  })),
  allowedOrigins: ['https://canary-origin.example'],
  env: { ANTHROPIC_API_KEY: 'canary-key', OPENAI_API_KEY: 'canary-key-too', BRIDLE_SANDBOX: 'process' },
}

beforeAll(async () => {
  server = await startDevServer({
    ...options,
    port: 0,
    data,
    log: (_level, message, fields = {}) => void lines.push({ message, fields: { ...fields } }),
  })
})
afterAll(async () => {
  await server.close()
  rmSync(data, { recursive: true, force: true })
})

test('[H14] /health and /ready say one word each to whoever has no credentials', async () => {
  const callers: Record<string, string>[] = [{}, as('wrong'), { origin: 'http://localhost:1' }]
  for (const headers of callers) {
    expect(await get(`${server.url}/health`, headers)).toEqual({ status: 200, body: { ok: true } })
    expect(await get(`${server.url}/ready`, headers)).toEqual({ status: 200, body: { ready: true } })
  }
  // The same for callers with credentials.
  expect((await get(`${server.url}/health`, as('canary-auth-token'))).body).toEqual({ ok: true })
})

test('[O6] a line of the log has what is promised, and no option, token, prompt or body', async () => {
  for (const tenant of ['a', 'b', 'c']) {
    const token = as(`canary-token-${tenant}`)
    await post(`${server.url}/agents/scripted/s-${tenant}`, scriptBody({ text: 'canary-prompt' }), token)
    await post(`${server.url}/agents/scripted/s-${tenant}`, '{"canary-body"', token)
    await get(`${server.url}/sessions?token=canary-token-${tenant}`)
    await get(`${server.url}/sessions/none`, token)
    await get(`${server.url}/sessions`, as('canary-wrong'))
    await upgradeAnswer(`${server.url}/ws?sessionId=s-${tenant}&token=canary-wrong`)
    const { ws } = await openTestSocket(`${server.url}/ws?sessionId=s-${tenant}&token=canary-token-${tenant}`)
    ws.close()
  }
  const requests = lines.filter(({ message }) => message === 'request')
  expect(requests.length).toBeGreaterThanOrEqual(21)
  const promised = ['correlationId', 'method', 'ms', 'route', 'status', 'url']
  for (const { fields } of requests) expect(Object.keys(fields).toSorted()).toEqual(promised)
  expect(JSON.stringify(lines)).not.toContain('canary')
})
