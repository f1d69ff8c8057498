import { fabricClient } from '@bridle/client/index'
import type { SessionTree } from '@bridle/wire/http/wire'
import { describe, expect, test, vi } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, scriptBody } from '../test-client.suite.ts'
import { TREE_OPENED_MAX, TREE_SESSIONS_MAX } from './session-tree.ts'

type TestApp = ReturnType<typeof testApp>

const talk = async (it: TestApp, id: string, ...steps: object[]) =>
  expect((await it.post(`/agents/scripted/${id}`, scriptBody(...steps, { text: id }))).status).toBe(200)
const branch = async (it: TestApp, id: string, seq: number, childId: string, headers: Record<string, string> = {}) => {
  it.advance(10)
  const body = { from_event_id: `ev-${seq}`, session_id: childId, title: childId.toUpperCase() }
  expect((await it.post(`/chat/sessions/${id}/branch`, body, headers)).status).toBe(201)
}
const treeOf = async (it: TestApp, id: string, headers: Record<string, string> = {}): Promise<SessionTree> => {
  const { status, body } = await it.get(`/sessions/${id}/tree`, headers)
  expect(status).toBe(200)
  return body as unknown as SessionTree
}
const shape = ({ sessions }: SessionTree) =>
  sessions.map(
    ({ id, parent, visible, gap }) => `${id} ${parent ? `${parent.id}@${parent.seq}` : '-'}${visible ? '' : ` ${gap}`}`,
  )

describe('[X50] GET /sessions/:id/tree', () => {
  test('three trees, built in turns: each session of a tree gets the same whole tree', async () => {
    const it = testApp()
    const trees = ['a', 'b', 'c']
    for (const id of trees) await talk(it, id, { checkpoint: 'half' })
    for (const id of trees) await branch(it, id, 4, `${id}-late`)
    for (const id of trees) await branch(it, id, 2, `${id}-early`)
    for (const id of trees) await talk(it, `${id}-late`)
    for (const id of trees) await branch(it, `${id}-late`, 6, `${id}-leaf`)
    // Background work that a session starts is no branch of it.
    await it.post('/sessions', { prompt: 'x', agent: 'scripted', session_id: 'work', parent_session_id: 'a' })
    for (const id of trees) {
      const tree = await treeOf(it, id)
      expect(shape(tree)).toEqual([`${id} -`, `${id}-early ${id}@2`, `${id}-late ${id}@4`, `${id}-leaf ${id}-late@6`])
      expect(tree).toMatchObject({ root: id, truncated: false })
      for (const other of [`${id}-early`, `${id}-late`, `${id}-leaf`]) expect(await treeOf(it, other)).toEqual(tree)
    }
    expect((await treeOf(it, 'work')).sessions).toHaveLength(1)
  })

  test('a session has its title, status, head, sums, and the numbers of its own checkpoints and approvals', async () => {
    const it = testApp()
    const script = scriptBody({ checkpoint: 'one' }, { approve: 'write' }, { text: 'a' })
    await it.post('/agents/scripted/a', script, { prefer: 'respond-async' })
    await vi.waitFor(async () => expect((await treeOf(it, 'a')).sessions[0]?.status).toBe('awaiting_approval'))
    const { head, approvals } = (await treeOf(it, 'a')).sessions[0] ?? {}
    expect(approvals).toHaveLength(1)
    await branch(it, 'a', head ?? 0, 'b')
    await talk(it, 'b', { checkpoint: 'two' })
    const [a, b] = (await treeOf(it, 'a')).sessions
    expect(a).toMatchObject({
      visible: true,
      agent: 'scripted',
      status: 'awaiting_approval',
      head,
      cost_usd: null,
      tokens: 0,
    })
    expect(a?.checkpoints).toHaveLength(1)
    expect(b?.approvals).toEqual([])
    // Neither the parent’s, nor the one with which a branch begins.
    expect(b?.checkpoints).toHaveLength(1)
    expect(b?.checkpoints?.every((seq) => seq > (head ?? 0))).toBe(true)
    expect(b).toMatchObject({ title: 'B', parent: { id: 'a', seq: head } })
  })

  test('[X51] a removed parent is named as a gap, and its branches stay together', async () => {
    const it = testApp()
    await talk(it, 'root')
    await branch(it, 'root', 3, 'middle')
    await branch(it, 'middle', 4, 'one')
    await branch(it, 'middle', 4, 'two')
    expect((await it.ask('DELETE', '/agents/scripted/middle')).status).toBeLessThan(300)
    expect(shape(await treeOf(it, 'one'))).toEqual(['middle - removed', 'one middle@4', 'two middle@4'])
    expect(shape(await treeOf(it, 'root'))).toEqual(['root -'])
    // Another session takes the id: it is no parent of branches that are older.
    it.advance(10)
    await talk(it, 'middle')
    const { head } = (await treeOf(it, 'middle')).sessions[0] ?? {}
    await branch(it, 'middle', head ?? 0, 'three')
    expect(shape(await treeOf(it, 'two'))).toEqual(['middle - removed', 'one middle@4', 'two middle@4'])
    expect(shape(await treeOf(it, 'middle'))).toEqual(['middle -', `three middle@${head}`])
  })

  test('[X52] a user sees nothing of other users’ branches; another tenant sees no tree', async () => {
    const it = testApp({
      tokens: [
        { token: 'ann', scopes: ['observe', 'operate'], user: 'ann' },
        { token: 'bob', scopes: ['observe', 'operate'], user: 'bob' },
        { token: 'all', scopes: ['observe', 'operate'] },
      ],
    })
    await it.post('/agents/scripted/shared', scriptBody({ text: 'x' }), bearer('all'))
    await branch(it, 'shared', 2, 'anns', bearer('ann'))
    await branch(it, 'shared', 3, 'bobs', bearer('bob'))
    expect(shape(await treeOf(it, 'shared', bearer('ann')))).toEqual(['shared -', 'anns shared@2'])
    expect(shape(await treeOf(it, 'shared', bearer('bob')))).toEqual(['shared -', 'bobs shared@3'])
    expect(shape(await treeOf(it, 'shared', bearer('all')))).toEqual(['shared -', 'anns shared@2', 'bobs shared@3'])
    expect((await it.get('/sessions/anns/tree', bearer('bob'))).status).toBe(404)
    expect((await it.get('/sessions/shared/tree', { ...bearer('all'), 'x-fabric-tenant': 'other' })).status).toBe(404)
    await it.ask('DELETE', '/agents/scripted/shared', undefined, bearer('all'))
    expect(shape(await treeOf(it, 'anns', bearer('ann')))).toEqual(['shared - unavailable', 'anns shared@2'])
  })

  test('[X53] a large tree is cut, and keeps the way to the session', async () => {
    const it = testApp()
    await talk(it, 'root')
    const key = { tenant: 'default', agent: 'scripted', id: 'root' }
    for (let n = 0; n < TREE_SESSIONS_MAX + 5; n++) await it.host.branch(key, 2, `b-${n}`)
    const { sessions, truncated } = await treeOf(it, 'root')
    expect([sessions.length, truncated]).toEqual([TREE_SESSIONS_MAX, true])
    expect(sessions.filter(({ checkpoints }) => checkpoints !== null)).toHaveLength(TREE_OPENED_MAX)
    const last = `b-${TREE_SESSIONS_MAX + 4}`
    expect((await treeOf(it, last)).sessions.find(({ id }) => id === last)?.checkpoints).not.toBeNull()
  })

  test('the client asks for it', async () => {
    const it = testApp()
    await talk(it, 'a')
    await branch(it, 'a', 2, 'b')
    const client = fabricClient({
      url: 'http://127.0.0.1',
      fetch: async (url, init) => it.app.fetch(new Request(url, init)),
    })
    expect(shape(await client.sessionTree('b', 'scripted'))).toEqual(['a -', 'b a@2'])
    await expect(client.sessionTree('b', 'hooked')).rejects.toMatchObject({ status: 404 })
  })
})
