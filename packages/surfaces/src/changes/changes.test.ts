// The changes of a tenant as its readers get them: over event streams, over sockets, and from the feed itself.

import type { TenantChange } from '@bridle/wire/changes/wire'
import { expect, test, vi } from 'vitest'
import { problemWith } from '../http/answers/declared-answers.suite.ts'
import type { Socket } from '../http/streams/socket-route.ts'
import { upgradeSocket } from '../http/streams/socket-route.ts'
import { testApp } from '../http/test-app.suite.ts'
import { bearer, collectFrames, type SseFrame, scriptBody } from '../http/test-client.suite.ts'
import { changesStreamAnswer } from './answers.ts'
import { changesSocketRoutes } from './routes.ts'

type TestApp = ReturnType<typeof testApp>
interface ChangeFrame extends Pick<SseFrame, 'id' | 'raw'> {
  readonly data: TenantChange
}

const tokens = [
  { token: 'op' },
  { token: 'ann', user: 'ann', tenants: ['acme'] },
  { token: 'bob', user: 'bob', tenants: ['acme'] },
  { token: 'zoe', user: 'zoe', tenants: ['umbrella'] },
]

/** An open stream: its messages so far, and how to leave it. */
const read = async ({ app }: TestApp, headers: Record<string, string> = {}) => {
  const leave = new AbortController()
  const response = await app.fetch(new Request('http://127.0.0.1/changes', { headers }))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  const frames: ChangeFrame[] = []
  void collectFrames<ChangeFrame>(response, frames, () => leave.signal.aborted)
  await vi.waitFor(() => expect(frames[0]?.data).toEqual({ type: 'ready' }))
  return {
    changes: () => frames.map(({ data }) => data),
    /** Each message in short. */
    lines: () => frames.map(({ data }) => lineOf(data)),
    problems: () =>
      frames.map(({ data }) => problemWith(changesStreamAnswer.body?.data, data)).filter((problem) => problem !== null),
    response,
  }
}

const lineOf = (change: TenantChange): string => {
  switch (change.type) {
    case 'ready':
      return 'ready'
    case 'session':
      return `session ${change.session.id} ${change.session.status}`
    case 'session_removed':
      return `removed ${change.session_id}`
    case 'approval':
      return `approval ${change.approval.sessionId} ${change.approval.toolName}`
    case 'approval_closed':
      return `closed ${change.session_id} ${change.status} ${change.decidedBy}`
  }
}
const idsOf = (changes: readonly TenantChange[]): Set<string> =>
  new Set(changes.flatMap((change) => (change.type === 'session' ? [change.session.id] : [])))

const approvalOf = async (it: TestApp, tenant: string, id: string): Promise<string> => {
  const session = await it.host.open({ tenant, agent: 'scripted', id })
  return vi.waitFor(() => {
    const [approvalId] = Object.keys(session.state.approvals.open)
    expect(approvalId).toBeDefined()
    return approvalId as string
  })
}

test('[F53] [F54] readers get the sessions of their tenant that they may open, however the writers interleave', async () => {
  const it = testApp({ tokens })
  const acme = { 'x-fabric-tenant': 'acme' }
  const umbrella = { 'x-fabric-tenant': 'umbrella' }
  const readers = {
    op: await read(it, { ...bearer('op'), ...acme }),
    ann: await read(it, { ...bearer('ann'), ...acme }),
    bob: await read(it, { ...bearer('bob'), ...acme }),
    zoe: await read(it, { ...bearer('zoe'), ...umbrella }),
  }
  const run = (token: string, id: string, tenant: Record<string, string>) =>
    it.post(`/agents/scripted/${id}`, scriptBody({ text: id }, { text: ' done' }), { ...bearer(token), ...tenant })
  await Promise.all([
    run('ann', 'a1', acme),
    run('bob', 'b1', acme),
    run('zoe', 'z1', umbrella),
    run('ann', 'a2', acme),
    run('op', 'shared', acme),
  ])
  await vi.waitFor(() => {
    expect(idsOf(readers.op.changes())).toEqual(new Set(['a1', 'b1', 'a2', 'shared']))
    expect(idsOf(readers.ann.changes())).toEqual(new Set(['a1', 'a2', 'shared']))
    expect(idsOf(readers.bob.changes())).toEqual(new Set(['b1', 'shared']))
    expect(idsOf(readers.zoe.changes())).toEqual(new Set(['z1']))
  })
  for (const reader of Object.values(readers)) expect(reader.problems()).toEqual([])
  // A row of the stream is a row of the list.
  const { body } = await it.get('/sessions', { ...bearer('bob'), ...acme })
  const listed = (body.sessions as { id: string }[]).find(({ id }) => id === 'shared')
  await vi.waitFor(() => {
    it.advance(1_000)
    const newest = readers.bob
      .changes()
      .findLast((change) => change.type === 'session' && change.session.id === 'shared')
    expect(newest).toEqual({ type: 'session', session: listed })
  })
})

test('[F57] approvals open and close for every reader, also when another page decides, and removals follow', async () => {
  const it = testApp({ tokens: [{ token: 'op' }, { token: 'ann', user: 'ann' }, { token: 'bob', user: 'bob' }] })
  const first = await read(it, bearer('op'))
  const second = await read(it, bearer('bob'))
  const answers = ['one', 'two', 'three'].map((id) =>
    it.post(`/agents/scripted/${id}`, scriptBody({ approve: `write-${id}` }, { text: 'x' }), bearer('op')),
  )
  const own = it.post('/agents/scripted/user:ann', scriptBody({ approve: 'private' }), bearer('ann'))
  const approvals = await Promise.all(['one', 'two', 'three'].map((id) => approvalOf(it, 'default', id)))
  const anns = await approvalOf(it, 'default', 'user:ann')
  await vi.waitFor(() => {
    const asked = ['one', 'two', 'three'].map((id) => `approval ${id} write-${id}`)
    expect(first.lines()).toEqual(expect.arrayContaining([...asked, 'approval user:ann private']))
    expect(second.lines()).toEqual(expect.arrayContaining(asked))
  })
  const decide = (id: string, index: number, verb: string, token: string) =>
    it.post(`/sessions/${id}/approvals/${approvals[index]}/${verb}`, {}, bearer(token))
  await decide('two', 1, 'reject', 'bob')
  await decide('one', 0, 'approve', 'ann')
  await it.post(`/sessions/user:ann/approvals/${anns}/approve`, {}, bearer('ann'))
  await it.ask('DELETE', '/agents/scripted/three', undefined, bearer('op'))
  await vi.waitFor(() => {
    for (const { lines } of [first, second])
      expect(
        lines()
          .filter((line) => /^(closed|removed)/.test(line))
          .filter((line) => !line.includes('user:ann'))
          .sort(),
      ).toEqual(['closed one approved ann', 'closed two denied bob', 'removed three'])
  })
  expect(second.lines().join()).not.toContain('user:ann')
  await vi.waitFor(() => expect(first.lines()).toContain('closed user:ann approved ann'))
  expect(first.problems()).toEqual([])
  await Promise.all([...answers.slice(0, 2), own])
  // A removal has no row that says whose the session was, and reaches only those who could open it.
  await it.ask('DELETE', '/agents/scripted/user:ann', undefined, bearer('ann'))
  await it.ask('DELETE', '/agents/scripted/one', undefined, bearer('op'))
  await vi.waitFor(() => expect(second.lines()).toContain('removed one'))
  expect(first.lines()).toContain('removed user:ann')
  expect(second.lines().join()).not.toContain('user:ann')
})

test('[F54] a ticket opens the stream, unless it is for one session, and a wrong credential opens nothing', async () => {
  const it = testApp({ tokens: [{ token: 'op' }, { token: 'blind', scopes: ['approve'] }] })
  const { ticket } = (await it.post('/tickets', {}, bearer('op'))).body
  const opened = await it.app.fetch(new Request(`http://127.0.0.1/changes?ticket=${ticket}`))
  expect(opened.status).toBe(200)
  await opened.body?.cancel()
  const narrow = (await it.post('/tickets', { sessionId: 'one' }, bearer('op'))).body.ticket
  expect((await it.get(`/changes?ticket=${narrow}`)).status).toBe(404)
  expect((await it.get('/changes')).status).toBe(401)
  expect((await it.get('/changes', bearer('blind'))).status).toBe(403)
  expect((await it.get('/changes/ws', bearer('op'))).status).toBe(426)
  const upgrade = async (token: string) => {
    const request = new Request(`http://127.0.0.1/changes/ws?ticket=${token}`, { headers: { upgrade: 'websocket' } })
    const answer = await upgradeSocket(changesSocketRoutes, request, '127.0.0.1', it.app.ports)
    return typeof answer === 'function' ? 101 : answer.status
  }
  const buy = async (body: object) => String((await it.post('/tickets', body, bearer('op'))).body.ticket)
  expect(await upgrade(await buy({}))).toBe(101)
  expect(await upgrade(await buy({ sessionId: 'one' }))).toBe(404)
  expect(await upgrade('wrong')).toBe(401)
})

test('[F53] a socket sends the same messages, answers pings, and says what it takes', async () => {
  const it = testApp()
  const sent: { readonly type: string }[] = []
  const acknowledged: number[] = []
  const socket: Socket = {
    send: (messages) => void sent.push(...messages.map((message) => JSON.parse(message))),
    close: () => {},
    buffered: () => 0,
    drained: async () => {},
    acknowledge: (seq) => acknowledged.push(seq),
  }
  const request = new Request('http://127.0.0.1/changes/ws', { headers: { upgrade: 'websocket' } })
  const opener = await upgradeSocket(changesSocketRoutes, request, '127.0.0.1', it.app.ports)
  if (typeof opener !== 'function') throw new Error(`Refused with ${opener.status}.`)
  const receiver = opener(socket)
  expect(sent).toEqual([{ type: 'ready' }])
  for (const text of ['{"type":"ping"}', '{"type":"seen","seq":3}', '{"type":"submit"}', 'x', null])
    await receiver.onMessage(text)
  expect(sent.slice(1).map(({ type }) => type)).toEqual(['pong', 'error', 'error', 'error'])
  expect(acknowledged).toEqual([3])
  for (const id of ['one', 'two', 'three']) await it.post(`/agents/scripted/${id}`, scriptBody({ text: id }))
  await vi.waitFor(() => expect(idsOf(sent as TenantChange[])).toEqual(new Set(['one', 'two', 'three'])))
  expect(receiver.hibernate?.()).toEqual({ tenant: 'default', viewer: null })
  expect(it.changes.isObserved('default')).toBe(true)
  receiver.onClosed()
  expect(it.changes.isObserved('default')).toBe(false)
})

test('[F58] without a reader no change is made, and a text that streams makes none', async () => {
  const it = testApp()
  const observe = vi.spyOn(it.changes, 'observe')
  const text = Array.from({ length: 200 }, (_, index) => ({ text: `token ${index} ` }))
  await it.post('/agents/scripted/quiet', scriptBody(...text))
  expect(observe).not.toHaveBeenCalled()
  const reader = await read(it)
  await it.post('/agents/scripted/loud', scriptBody(...text))
  await vi.waitFor(() => expect(idsOf(reader.changes())).toEqual(new Set(['loud'])))
  const { head } = (await it.host.open({ tenant: 'default', agent: 'scripted', id: 'loud' })).state
  expect(head).toBeGreaterThan(200)
  expect(observe.mock.calls.length).toBeLessThan(20)
})
