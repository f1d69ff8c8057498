import type { JsonObject } from '@bridle/events/json'
import { describe, expect, test, vi } from 'vitest'
import { readEnvelopes, startedSession } from '../../frontend/frontend.suite.ts'
import { socketClient } from '../socket-client.suite.ts'
import { testApp } from '../test-app.suite.ts'
import { bearer, scriptBody } from '../test-client.suite.ts'

type App = ReturnType<typeof testApp>

interface Named {
  readonly id: string
  readonly child: { readonly id: string; readonly agent: string; readonly approvalId: string }
}

const db = { ask: 'Which database?', id: 'db', options: ['SQLite', 'PostgreSQL'] }
const question = [{ id: 'db', question: db.ask, options: db.options.map((label) => ({ label })) }]

const namedOn = async (it: App, id: string, count: number, headers = {}): Promise<readonly Named[]> => {
  const read = async () => (await it.get(`/sessions/${id}`, headers)).body.approvals as Named[]
  await vi.waitFor(async () => expect(await read()).toHaveLength(count))
  return read()
}

/** A chat with children that ask this, each started from the one before it or from the chat. */
const family = async (it: App, id: string, names: readonly string[], asked: object = db): Promise<void> => {
  await it.post(`/agents/scripted/${id}`, scriptBody({ text: 'hello' }))
  for (const name of names)
    await startedSession(
      it,
      { ...scriptBody(asked, { text: name }), session_id: `${id}-${name}`, parent_session_id: id },
      ({ status }) => status === 'awaiting_approval',
    )
}

describe('[H200] the detail of a session names what its children ask', () => {
  test('with the session that asks, and the routes of the session take the answer', async () => {
    const it = testApp()
    const ids = ['p1', 'p2', 'p3']
    for (const id of ids) await family(it, id, ['a', 'b'])
    for (const id of ids.toReversed()) {
      const [first, second] = await namedOn(it, id, 2)
      expect(first).toMatchObject({
        ...{ id: `${id}-a:${first?.child.approvalId}`, kind: 'question', reason: db.ask, questions: question },
        child: { id: `${id}-a`, agent: 'scripted' },
      })
      const path = `/sessions/${id}/approvals/${encodeURIComponent(second?.id ?? '')}`
      expect(await it.post(`${path}/answer`, { answers: { db: 'Oracle' } })).toMatchObject({
        status: 400,
        body: { error: { type: 'invalid_answer' } },
      })
      const given = { answers: { db: 'SQLite' } }
      const reply = await it.post(`${path}/answer`, given)
      expect(reply).toMatchObject({ status: 200, body: { ok: true, approvalId: second?.id, decision: 'approved' } })
      expect((await namedOn(it, id, 1)).map((each) => each.id)).toEqual([first?.id])
      expect((await it.post(`${path}/answer`, given)).status).toBe(200)
      expect(await it.post(`${path}/reject`)).toMatchObject({ status: 409, body: { decision: 'approved' } })
      const child = `/sessions/${id}-a/approvals/${first?.child.approvalId}`
      expect((await it.post(`${child}/reject`, {})).status).toBe(200)
      expect(
        await it.post(`/sessions/${id}/approvals/${encodeURIComponent(first?.id ?? '')}/answer`, given),
      ).toMatchObject({ status: 409 })
      await namedOn(it, id, 0)
      const { approvals } = (await it.get(`/agents/scripted/${id}`)).body as { approvals: JsonObject[] }
      expect(approvals).toMatchObject([
        { id: first?.id, status: 'denied', child: { id: `${id}-a` } },
        { id: second?.id, status: 'approved', answers: { db: 'SQLite' }, child: { id: `${id}-b` } },
      ])
    }
    expect((await it.post('/sessions/p1/approvals/p2-a:apr-5/approve')).status).toBe(404)
  })
})

test('[H201] the inbox lists an approval once, where it is asked, and names the session above', async () => {
  const it = testApp()
  await family(it, 'top', ['a'], { approve: 'send', args: { to: 'ann' } })
  await namedOn(it, 'top', 1)
  const { approvals } = (await it.get('/approvals')).body
  expect(approvals).toMatchObject([{ sessionId: 'top-a', parentSessionId: 'top', toolName: 'send' }])
  await it.post(`/sessions/top-a/approvals/${(approvals as Named[])[0]?.id}/approve`)
  expect((await it.get('/approvals?status=decided')).body.approvals).toMatchObject([
    { sessionId: 'top-a', parentSessionId: 'top' },
  ])
})

test('[H202] lists count the approvals below a session apart from its own', async () => {
  const it = testApp()
  await family(it, 'top', ['a', 'b'])
  await namedOn(it, 'top', 2)
  const { sessions } = (await it.get('/sessions')).body as { sessions: JsonObject[] }
  const counts = sessions.map(({ id, status, pendingApprovals, childApprovals }) => [
    ...[id, status, pendingApprovals, childApprovals],
  ])
  expect(counts.toSorted()).toEqual([
    ['top', 'idle', 0, 2],
    ['top-a', 'awaiting_approval', 1, 0],
    ['top-b', 'awaiting_approval', 1, 0],
  ])
})

describe('[H203] the right to answer on a session is enough', () => {
  const tokens = [
    { token: 'all' },
    { token: 'ann', user: 'ann' },
    { token: 'ben', user: 'ben' },
    { token: 'reader', scopes: ['observe' as const] },
  ]
  const asUser = (it: App, token: string): App => ({
    ...it,
    get: (path, headers) => it.get(path, { ...bearer(token), ...headers }),
    post: (path, body = {}, headers = {}) => it.post(path, body, { ...bearer(token), ...headers }),
  })

  test('for a ticket of that session, which opens nothing else', async () => {
    const it = testApp({ tokens })
    const ann = asUser(it, 'ann')
    await family(ann, 'hers', ['a'])
    const [named] = await namedOn(ann, 'hers', 1)
    const path = `approvals/${encodeURIComponent(named?.id ?? '')}/answer`
    const given = { answers: { db: 'SQLite' } }
    const ticket = async (body: object) => String((await ann.post('/tickets', body)).body.ticket)
    const bound = (more: object = {}) => ticket({ sessionId: 'hers', ...more })
    expect((await it.get(`/sessions/hers-a?ticket=${await bound()}`)).status).toBe(404)
    const own = `/sessions/hers-a/approvals/${named?.child.approvalId}/answer`
    expect((await it.post(`${own}?ticket=${await bound()}`, given)).status).toBe(404)
    const observing = await bound({ scopes: ['observe'] })
    expect((await it.post(`/sessions/hers/${path}?ticket=${observing}`, given)).status).toBe(403)
    const elsewhere = await ticket({ sessionId: 'other' })
    expect((await it.post(`/sessions/hers/${path}?ticket=${elsewhere}`, given)).status).toBe(404)
    expect((await it.post(`/sessions/hers/${path}?ticket=${await bound()}`, given)).status).toBe(200)
  })

  test('for no other user, and not for a reader', async () => {
    const it = testApp({ tokens })
    await family(asUser(it, 'ann'), 'hers', ['a'])
    const [named] = await namedOn(asUser(it, 'ann'), 'hers', 1)
    const path = `/sessions/hers/approvals/${encodeURIComponent(named?.id ?? '')}/answer`
    const given = { answers: { db: 'SQLite' } }
    expect((await it.post(path, given, bearer('ben'))).status).toBe(404)
    expect((await it.post(path, given, bearer('reader'))).status).toBe(403)
    const below = { engine: 'scripted', ...scriptBody(db), parent_session_id: 'hers' }
    expect((await it.post('/sessions', below, bearer('ben'))).status).toBe(400)
    expect((await it.post(path, given, bearer('all'))).status).toBe(200)
  })
})

test('[E20] [W30] [T35] [F84] each wire of a session shows what its children ask, and takes the answer', async () => {
  const it = testApp()
  await it.post('/agents/scripted/top', scriptBody({ text: 'hello' }))
  const fabric = await socketClient(it, '/sessions/top/ws?agent=scripted')
  const transport = await socketClient(it, '/ws?sessionId=top&agent=scripted')
  await family(it, 'top', ['a', 'b'])
  const [first, second] = await namedOn(it, 'top', 2)
  const child = (name: string, approvalId: string | undefined) => ({ id: `top-${name}`, agent: 'scripted', approvalId })
  const events = () =>
    fabric.heard.flatMap(({ event }) => {
      const { type, data } = (event ?? {}) as { type?: string; data?: JsonObject }
      return type?.startsWith('approval_') ? [{ type, ...data }] : []
    })
  expect(events()).toMatchObject([
    {
      type: 'approval_requested',
      approvalId: first?.id,
      questions: question,
      child: child('a', first?.child.approvalId),
    },
    { type: 'approval_requested', approvalId: second?.id, child: child('b', second?.child.approvalId) },
  ])
  const answering = (approvalId: string | undefined, commandId: string) => ({
    ...{ type: 'approve', approvalId, decision: 'approved', answers: { db: 'SQLite' }, commandId },
  })
  expect(await fabric.say(answering(second?.id, 'f'), 'f')).toMatchObject({ ok: true })
  const commands = { type: 'commands', commands: [answering(first?.id, 't')] }
  expect(await transport.say(commands, 't')).toMatchObject({ ok: true })
  expect(events().slice(2)).toMatchObject([
    { type: 'approval_resolved', approvalId: second?.id, answers: { db: 'SQLite' }, child: { id: 'top-b' } },
    { type: 'approval_resolved', approvalId: first?.id, answers: { db: 'SQLite' }, child: { id: 'top-a' } },
  ])
  const states = JSON.stringify(transport.heard)
  expect(states).toContain(`"child":${JSON.stringify(child('a', first?.child.approvalId))}`)
  const frames = await readEnvelopes(it, '/chat/sessions/top/events/stream?replay=all', (all) =>
    all.some(({ data }) => data.type === 'approval_applied' && data.payload.request_id === first?.id),
  )
  const asked = frames.filter(({ data }) => data.type === 'approval_required').map(({ data }) => data.payload)
  expect(asked).toMatchObject([
    { request_id: first?.id, child: { id: 'top-a', approval_id: first?.child.approvalId, via: 'top-a' } },
    { request_id: second?.id, child: { id: 'top-b' } },
  ])
})
