// A server that stops: its answers while runs may still end, and the last messages to its clients.
import { mkdtempSync, rmSync } from 'node:fs'
import { get as httpGet } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { openSqlite } from '@bridle/stores/data-folder'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HarnessServer, type ServerOptions } from '../node/index.ts'
import { upgradeAnswer } from './socket-client.suite.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-stopping-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = (options: ServerOptions = {}) =>
  HarnessServer.start({ port: 0, data: folder, tokenPaceMs: 0, log: () => {}, env: {}, ...options })

/** The whole text of a stream, once it has ended. */
const textOf = async (url: string) => {
  const response = await fetch(url)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const first = (await reader?.read())?.value ?? ''
  const rest = (async () => {
    let text = first
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) text += next.value
    return text
  })()
  return { first, rest }
}

test('[O34] streams of every kind are told to wait longer before they end', async () => {
  const server = await start()
  for (const id of ['a', 'b']) await post(`${server.url}/agents/scripted/${id}`, scriptBody({ text: 'x' }))
  const paths = [
    '/agents/scripted/a/stream',
    '/sessions/b/events',
    '/sessions/a/health/stream',
    '/chat/sessions/b/events/stream',
  ]
  const streams = await Promise.all(paths.map((path) => textOf(`${server.url}${path}`)))
  for (const { first } of streams) expect(first).toContain('retry: 2000\n\n')
  await server.close()
  for (const { rest } of streams) expect(await rest).toMatch(/\nretry: 5000\n\n$/)
})

test('[O4] during the grace /ready is 503 on new connections, work under way goes on, and new work is sent elsewhere', async () => {
  const gate = Promise.withResolvers<void>()
  const slow = agent({
    name: 'slow',
    // A durable run rests at once, and the next start continues it.
    durable: false,
    run: async ({ input, session }) => {
      const { prompt } = input as { prompt: string }
      if (prompt !== 'ask') await (prompt === 'wait' ? gate.promise : new Promise(() => {}))
      else if (!(await session.approval({ subject: 'end', reason: 'last' })).approved) return 'stayed'
      return 'ended'
    },
  })
  const server = await start({ agents: [slow] })
  const { url } = server
  const runs = ['wait', 'ask', 'hang'].map((prompt) => post(`${url}/agents/slow/${prompt}`, { prompt }))
  const approvals = async () =>
    ((await get(`${url}/sessions/ask`)).body.approvals as { id: string }[] | undefined) ?? []
  while ((await approvals()).length === 0) await new Promise(setImmediate)
  for (const id of ['wait', 'hang'])
    while ((await get(`${url}/sessions/${id}`)).body.status !== 'running') await new Promise(setImmediate)
  const closed = server.close({ graceMs: 60_000 })
  expect((await get(`${url}/ready`, { connection: 'close' })).status).toBe(503)
  expect((await get(`${url}/health`)).status).toBe(200)
  const begin: [string, object][] = [
    ['/agents/slow/three', { prompt: 'x' }],
    ['/sessions', { agent: 'slow', prompt: 'x' }],
    ['/chat/sessions', { agent: 'slow' }],
  ]
  for (const [path, body] of begin) {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { connection: 'close' } }
    const { status, headers } = await fetch(`${url}${path}`, init)
    expect([path, status, headers.get('retry-after')]).toEqual([path, 503, '1'])
  }
  expect((await upgradeAnswer(`${url}/ws?userId=x`)).status).toBe(503)
  // Active work can be read, answered and stopped.
  const [approval] = await approvals()
  expect((await post(`${url}/sessions/ask/approvals/${approval?.id}/approve`, {})).status).toBe(200)
  expect((await runs[1])?.body.result).toBe('ended')
  expect((await post(`${url}/sessions/hang/cancel`, {})).status).toBe(200)
  expect((await runs[2])?.status).toBe(409)
  gate.resolve()
  expect((await runs[0])?.body.result).toBe('ended')
  await closed
  await expect(fetch(`${url}/health`)).rejects.toThrow()
})

test('[O4] [S38] background work that outlives the process is not stopped', async () => {
  const server = await start()
  const { body } = await post(`${server.url}/sessions`, { agent: 'scripted', ...scriptBody({ approve: 'write' }) })
  const id = String(body.session_id)
  while ((await get(`${server.url}/sessions/${id}`)).body.status !== 'awaiting_approval')
    await new Promise(setImmediate)
  await server.close()
  const store = await openSqlite(folder)
  const key = { tenant: 'default', agent: 'scripted', id }
  const types = (await store.log.read(key, 0, 1_000, { charsMax: 1_000_000, withoutContent: true })).map(
    ({ type }) => type,
  )
  await store.close()
  expect(types).toContain('approval_required')
  expect(types).not.toContain('run_parked')
})

test.each([
  [{}, 'timeout=75'],
  [{ keepAliveMs: 20_000 }, 'timeout=20'],
])('[O36] with %j an unused connection is kept: %s', async (options, expected) => {
  const server = await start(options)
  const header = await new Promise((resolve) =>
    httpGet(`${server.url}/health`, { headers: { connection: 'keep-alive' } }, (answer) => {
      answer.resume()
      resolve(answer.headers['keep-alive'])
    }),
  )
  expect(header).toBe(expected)
  await server.close()
})
