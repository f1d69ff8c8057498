import { fabricClient } from '@bridle/client/fabric/http'
import { type Key, keyText } from '@bridle/kernel/event'
import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, scriptBody } from '../test-client.suite.ts'
import type { WorkspaceFiles } from './workspaces.ts'

const nothing = scriptBody([{ text: 'done' }])

/** Tells by its answers which session it was asked about. */
const files: WorkspaceFiles = {
  compare: async (key) => ({
    kind: 'empty',
    is_available: true,
    is_compared: true,
    changes: [
      { path: keyText(key), kind: 'file', status: 'added', additions: 1, deletions: 0, is_binary: false },
      { path: 'a\u202eb\n<b>', kind: 'other', status: 'added', additions: null, deletions: null, is_binary: false },
    ],
    truncated: false,
  }),
  list: async (key, path) =>
    path === 'missing'
      ? { refused: 'not_found', message: 'There is no such folder.' }
      : { path, entries: [{ name: keyText(key), kind: 'file', size: 3, modified: null }], truncated: false },
  read: async (_key: Key, path, version) => {
    if (path.includes('..')) return { refused: 'bad_path', message: 'The path has "..".' }
    if (path === 'busy') return { refused: 'busy', message: 'Try again.' }
    return { path, version, kind: 'file', size: 2, is_binary: false, text: version, truncated: false }
  },
}

describe('[H84] a target without the files of sessions', () => {
  test('says so, and has neither folders nor files', async () => {
    const { get, post } = testApp()
    await post('/agents/scripted/one', nothing)
    const { status, body } = await get('/sessions/one/workspace')
    expect(status).toBe(200)
    expect(body).toEqual({
      workspace_id: null,
      mode: 'none',
      kind: null,
      source: null,
      is_available: false,
      is_compared: false,
      reason: 'The files of this session are not on the disk of this server.',
      changes: [],
      truncated: false,
    })
    expect((await get('/sessions/one/workspace/files')).status).toBe(404)
    expect((await get('/sessions/one/workspace/file?path=a')).status).toBe(404)
  })
})

describe('[H89] the files of a session', () => {
  const tokens = [
    { token: 'a-token-of-tenant-one', tenants: ['one'] },
    { token: 'a-token-of-tenant-two', tenants: ['two'] },
    { token: 'a-token-of-ann-in-one', tenants: ['one'], user: 'ann' },
  ]
  const paths = ['workspace', 'workspace/files', 'workspace/file?path=a']

  test('are shown to those who may open the session, and to nobody else', async () => {
    const { get, post } = testApp({ tokens, workspaceFiles: files })
    const [one, two, ann] = tokens.map(({ token }) => bearer(token))
    await post('/agents/scripted/first', nothing, one)
    await post('/agents/scripted/user:ben', nothing, one)
    await post('/agents/scripted/first', nothing, two)
    expect((await get('/sessions/first/workspace', one)).body).toMatchObject({
      changes: [{ path: expect.stringContaining('one') }, {}],
    })
    expect((await get('/sessions/first/workspace', two)).body).toMatchObject({
      changes: [{ path: expect.stringContaining('two') }, {}],
    })
    for (const path of paths) {
      expect((await get(`/sessions/first/${path}`)).status).toBe(401)
      expect((await get(`/sessions/first/${path}`, ann)).status).toBe(200)
      const foreign = [await get(`/sessions/user:ben/${path}`, ann), await get(`/sessions/user:ben/${path}`, two)]
      const unknown = await get(`/sessions/nobody/${path}`, one)
      for (const { status, body } of foreign)
        expect({ status, body }).toEqual({
          status: 404,
          body: { error: 'Not found', message: 'There is no session user:ben.' },
        })
      expect([unknown.status, unknown.body]).toEqual([
        404,
        { error: 'Not found', message: 'There is no session nobody.' },
      ])
    }
  })

  test('reach the operator’s client as they are', async () => {
    const { app, post } = testApp({ workspaceFiles: files })
    await post('/agents/scripted/s', nothing)
    const client = fabricClient({
      url: 'http://127.0.0.1',
      fetch: async (to, init) => app.fetch(new Request(to, init)),
    })
    expect((await client.workspace('s')).changes.at(-1)?.path).toBe('a\u202eb\n<b>')
    expect(await client.workspaceFiles('s', 'a b/&c')).toMatchObject({ path: 'a b/&c', truncated: false })
    expect(await client.workspaceFiles('s')).toMatchObject({ path: '' })
    expect(await client.workspaceFile('s', 'ü.txt')).toMatchObject({ path: 'ü.txt', text: 'current' })
    expect(await client.workspaceFile('s', 'x', { version: 'source', agent: 'scripted' })).toMatchObject({
      text: 'source',
    })
    await expect(client.workspaceFile('s', '../x')).rejects.toMatchObject({ status: 400 })
    await expect(client.workspaceFile('s', 'busy')).rejects.toMatchObject({ status: 429 })
    await expect(client.workspaceFiles('s', 'missing')).rejects.toMatchObject({ status: 404 })
    await expect(client.workspaceFile('s', 'x'.repeat(5_000))).rejects.toMatchObject({ status: 400 })
  })
})
