// The changes of a tenant from a real server: the published client, a restart under it, and a reader that does not read.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChangesHandle, type ChangesOptions, connectChanges, type TenantChange } from '@bridle/client/index'
import { listening } from '@bridle/client/socket/cutting-proxy.suite'
import type { DirectoryRow } from '@bridle/kernel/ports/directory'
import { socketWires } from '@bridle/surfaces/all'
import { testApp } from '@bridle/surfaces/http/test-app.suite'
import { bearer, get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { Backlog } from './backlog.ts'
import { HarnessServer } from './index.ts'
import { createSocketServer } from './sockets/server-sockets.ts'

const waitFor = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 10_000, interval: 10 })

let folder: string
let server: HarnessServer | undefined
const handles: ChangesHandle[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-changes-'))
})
afterEach(async () => {
  for (const handle of handles.splice(0)) handle.close()
  await server?.close()
  server = undefined
  rmSync(folder, { recursive: true, force: true })
})

const tokens = [{ token: 'op' }, { token: 'ann', user: 'ann' }, { token: 'bob', user: 'bob' }]
const start = async (port = 0): Promise<string> => {
  server = await HarnessServer.start({ port, data: folder, tokens, tokenPaceMs: 0, log: () => {} })
  return server.url
}
const connect = async (url: string, authToken: string, options: Partial<ChangesOptions> = {}) => {
  const changes: TenantChange[] = []
  const backoff = { firstMs: 5, longestMs: 20 }
  const handle = connectChanges({ url, authToken, backoff, onChange: (change) => changes.push(change), ...options })
  handles.push(handle)
  await waitFor(() => expect(handle.phase).toBe('open'))
  return {
    changes,
    count: (type: TenantChange['type']) => changes.filter((change) => change.type === type).length,
    sessions: () => new Set(changes.flatMap((change) => (change.type === 'session' ? [change.session.id] : []))),
    find: <T extends TenantChange['type']>(type: T) =>
      changes.find((change): change is Extract<TenantChange, { type: T }> => change.type === type),
  }
}

test('[F59] [F57] a client goes on across a restart, and hears who closed an approval of before it', async () => {
  const url = await start()
  const op = await connect(url, 'op')
  const ann = await connect(url, 'ann')
  const elsewhere = await connect(url, 'op', { tenantId: 'elsewhere' })
  const begin = (token: string, id: string, ...steps: unknown[]) =>
    post(`${url}/agents/scripted/${id}`, scriptBody(...steps), { ...bearer(token), prefer: 'respond-async' })
  await begin('ann', 'a1', { approve: 'write', args: { path: 'a.txt' } }, { text: 'done' })
  await begin('bob', 'b1', { text: 'b' })
  await begin('ann', 'a2', { text: 'a' })
  await waitFor(() => {
    expect(op.sessions()).toEqual(new Set(['a1', 'b1', 'a2']))
    expect(ann.sessions()).toEqual(new Set(['a1', 'a2']))
    expect(ann.find('approval')?.approval).toMatchObject({ sessionId: 'a1', toolName: 'write' })
  })
  const listed = (await get(`${url}/approvals`, bearer('ann'))).body.approvals as unknown[]
  expect(listed).toEqual([ann.find('approval')?.approval])

  await server?.close()
  await start(Number(new URL(url).port))
  await waitFor(() => {
    for (const reader of [op, ann, elsewhere]) expect(reader.count('ready')).toBe(2)
  })
  const id = ann.find('approval')?.approval.id
  const answer = await post(`${url}/sessions/a1/approvals/${id}/reject`, { actor: 'bob' }, bearer('op'))
  expect(answer.status).toBe(200)
  await waitFor(() => {
    for (const reader of [op, ann])
      expect(reader.find('approval_closed')).toMatchObject({ id, session_id: 'a1', status: 'denied', decidedBy: 'bob' })
  })
  const removed = await fetch(`${url}/agents/scripted/a2`, { method: 'DELETE', headers: bearer('ann') })
  expect(removed.ok).toBe(true)
  await waitFor(() => {
    for (const reader of [op, ann])
      expect(reader.find('session_removed')).toEqual({ type: 'session_removed', session_id: 'a2', agent: 'scripted' })
  })
  expect(elsewhere.changes).toEqual([{ type: 'ready' }, { type: 'ready' }])
})

test('[F56] a socket that does not read gets ready, and not everything that it missed', async () => {
  const { app, changes } = testApp()
  const http = createServer()
  const sockets = createSocketServer(app, socketWires, new Backlog())
  http.on('upgrade', sockets.upgrade)
  const url = await listening(http)
  const ws = new WebSocket(`${url.replace('http', 'ws')}/changes/ws`)
  const types: string[] = []
  let bytes = 0
  ws.on('message', (data) => {
    bytes += String(data).length
    types.push((JSON.parse(String(data)) as TenantChange).type)
  })
  try {
    await waitFor(() => expect(types).toEqual(['ready']))
    ws.pause()
    const text = 'x'.repeat(20_000)
    const row: DirectoryRow = {
      ...{ kind: 'chat', status: 'idle', title: text, createdAt: 0, updatedAt: 0, parent: null, approvals: [] },
      detail: { lastError: text },
    }
    let sent = 0
    // More than the buffers of both ends hold. Each session is another one, so that none waits for its turn.
    for (let round = 0; round < 12; round++) {
      for (let count = 0; count < 50; count++, sent++) {
        const key = { tenant: 'default', agent: 'scripted', id: `s${sent}` }
        changes.observe({ key, owner: null, head: 1, incarnation: 1, row, before: null })
      }
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
    ws.resume()
    await waitFor(() => expect(types.lastIndexOf('ready')).toBeGreaterThan(0))
    expect(types.length).toBeLessThan(sent)
    expect(bytes).toBeLessThan(sent * 40_000)
    changes.observe({
      key: { tenant: 'default', agent: 'scripted', id: 'late' },
      owner: null,
      head: 1,
      incarnation: 1,
      row: null,
      before: null,
    })
    await waitFor(() => expect(types.at(-1)).toBe('session_removed'))
  } finally {
    ws.terminate()
    await sockets.close()
    http.close()
  }
})
