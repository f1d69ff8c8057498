// The client of a tenant's changes against a fake server: phases, reconnects, marks and addresses.

import type { TenantChange } from '@bridle/wire/changes/wire'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type FakeSocket, fakeServer } from '../harness/fake-server.suite.ts'
import { type ChangesOptions, type ChangesPhase, connectChanges } from './changes.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const removal = (id: string): TenantChange => ({ type: 'session_removed', session_id: id, agent: 'scripted' })
const tell = (line: FakeSocket, ...messages: unknown[]) => {
  for (const message of messages) line.raw(JSON.stringify(message))
}

const connect = (options: Partial<ChangesOptions> = {}) => {
  const server = fakeServer()
  const changes: TenantChange[] = []
  const phases: ChangesPhase[] = []
  const handle = connectChanges({
    url: 'http://fake:4317/base',
    WebSocket: server.WebSocket,
    backoff: { firstMs: 100, longestMs: 100 },
    onChange: (change) => changes.push(change),
    onPhase: (phase) => phases.push(phase),
    ...options,
  })
  return { server, changes, phases, handle }
}

test('[F59] each connection begins with ready, and a broken one is replaced', async () => {
  const { server, changes, phases, handle } = connect({ tenantId: 'acme' })
  const first = await server.socket(1)
  expect(first.url.href).toBe('ws://fake:4317/base/changes/ws?tenant=acme&marks=1')
  first.open()
  expect(handle.phase).toBe('connecting')
  tell(first, { type: 'ready' }, removal('one'), { type: 'pong', ts: 0 })
  first.raw('not JSON')
  tell(first, removal('two'))
  expect(handle.phase).toBe('open')
  first.cut()
  await vi.advanceTimersByTimeAsync(0)
  expect(handle.phase).toBe('reconnecting')
  await vi.advanceTimersByTimeAsync(100)
  const second = (await server.socket(2)).open()
  tell(second, { type: 'ready' }, removal('three'))
  expect(changes).toEqual([{ type: 'ready' }, removal('one'), removal('two'), { type: 'ready' }, removal('three')])
  handle.close()
  expect(phases).toEqual(['open', 'reconnecting', 'open', 'closed'])
})

test('[F59] ready on an open connection reports no other phase', async () => {
  const { server, changes, phases, handle } = connect()
  const line = (await server.socket(1)).open()
  tell(line, { type: 'ready' }, removal('one'), { type: 'ready' }, removal('two'))
  expect(changes.map(({ type }) => type)).toEqual(['ready', 'session_removed', 'ready', 'session_removed'])
  expect(phases).toEqual(['open'])
  handle.close()
})

test('[F59] the client answers marks, and pings', async () => {
  const { server, handle, changes } = connect({ heartbeatMs: 1_000 })
  const line = (await server.socket(1)).open()
  tell(line, { type: 'ready' }, { type: 'mark', seq: 7 })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(line.received).toEqual([{ type: 'seen', seq: 7 }, { type: 'ping' }])
  expect(changes).toEqual([{ type: 'ready' }])
  handle.close()
})

test('[F59] a token buys a ticket for each connection, and a refusal ends the client with its reason', async () => {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (url: URL, init: RequestInit = {}) => {
    requests.push(`${init.method ?? 'GET'} ${url.pathname} ${init.body ?? ''}`)
    return requests.length < 3
      ? Response.json({ ticket: `t-${requests.length}`, expiresAt: '' }, { status: 201 })
      : Response.json({ error: { type: 'unauthorized', message: 'The token is wrong.' } }, { status: 401 })
  })
  const reasons: (string | undefined)[] = []
  const { server, handle } = connect({
    authToken: 'secret',
    onPhase: (phase, { error }) => reasons.push(`${phase} ${error?.message ?? ''}`),
  })
  tell((await server.socket(1)).open(), { type: 'ready' })
  server.sockets[0]?.cut()
  await vi.advanceTimersByTimeAsync(100)
  tell((await server.socket(2)).open(), { type: 'ready' })
  server.sockets[1]?.cut()
  await vi.advanceTimersByTimeAsync(100)
  await vi.waitFor(() => expect(handle.phase).toBe('closed'))
  expect(requests).toEqual(Array.from({ length: 3 }, () => 'POST /base/tickets {}'))
  expect(reasons).toEqual(['open ', 'reconnecting ', 'open ', 'reconnecting ', 'closed The token is wrong.'])
  expect(server.sockets.map(({ url }) => url.search)).toEqual(['?marks=1', '?marks=1'])
})
