// An operator’s questions and acts through the client, in three sessions of an app in this process.

import { type FabricError, fabricClient } from '@bridle/client/index'
import { expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { scriptBody } from '../http/test-client.suite.ts'

const world = async () => {
  const { app } = testApp({ tokens: [{ token: 't', user: 'ann', tenants: ['acme', 'lab'] }] })
  const client = fabricClient({
    url: 'http://127.0.0.1',
    authToken: 't',
    fetch: async (url, init) => app.fetch(new Request(url, init)),
  })
  for (const id of ['one', 'two', 'three'])
    await client.invoke('scripted', id, scriptBody({ artifact: { name: `${id}.txt`, content: id } }, { text: id }))
  return client
}
const idsOf = (page: { readonly sessions: readonly { readonly id: string }[] }) =>
  page.sessions.map(({ id }) => id).toSorted()

test('[H74] [H75] the server and the caller', async () => {
  const client = await world()
  expect(await client.me()).toEqual({
    ...{ user: 'ann', tenant: 'acme', tenants: ['acme', 'lab'], isOpen: false },
    scopes: ['observe', 'operate', 'approve'],
  })
  const { agents } = await client.agents()
  expect(agents.map(({ name, engine, available }) => [name, engine, available])).toEqual([
    ['scripted', 'scripted', true],
    ['hooked', 'native', true],
    ['keyless', 'native', false],
  ])
  expect(await client.engines()).toEqual({ engines: [] })
  expect((await client.streamEvents()).types).toContain('session_archived')
  expect(Object.keys((await client.openapi()).paths)).toContain('/sessions/{id}/archive')
  expect(await (await client.request('health')).json()).toEqual({ ok: true })
})

test('[H80] [H81] sessions are made, listed, put away and branched', async () => {
  const client = await world()
  expect(await client.createChat({ session_id: 'new', title: 'Mine' })).toMatchObject({ id: 'new', title: 'Mine' })
  const work = await client.startBackground({ ...scriptBody({ text: 'x' }), agent: 'scripted', session_id: 'work' })
  expect(work).toMatchObject({ id: 'work', kind: 'background' })
  expect(await client.archive('two', { reason: 'done', idempotencyKey: 'k' })).toMatchObject({ archived: true })
  expect(idsOf(await client.sessions())).toEqual(['new', 'one', 'three', 'work'])
  expect(idsOf(await client.sessions({ archived: true }))).toEqual(['two'])
  expect(idsOf(await client.sessions({ archived: 'all', engine: 'scripted', kind: 'chat' }))).toEqual([
    'new',
    'one',
    'three',
    'two',
  ])
  expect(idsOf(await client.sessions({ changed_since: '2100-01-01T00:00:00.000Z', flag: 'stuck' }))).toEqual([])
  expect(await client.unarchive('two', { agent: 'scripted' })).toMatchObject({ archived: false })
  const { lastEventId } = await client.session('one')
  const leaf = await client.branch('one', { from_event_id: lastEventId, title: 'Leaf', reason: 'try' })
  expect(leaf).toMatchObject({ title: 'Leaf', parent_session_id: 'one' })
  const { audit } = await client.audit('two', { limit: 2 })
  expect(audit.map(({ action, actor }) => [action, actor])).toEqual([
    ['unarchived', 'ann'],
    ['archived', 'ann'],
  ])
  const { artifacts } = await client.artifacts('three')
  expect(artifacts).toMatchObject([{ name: 'three.txt' }])
  expect(await (await client.artifact('three', artifacts[0]?.id ?? '')).text()).toBe('three')
})

test('a session is paused, resumed, given a budget and cancelled', async () => {
  const client = await world()
  expect(await client.pause('one', { reason: 'wait' })).toMatchObject({ status: 'paused', paused: true })
  expect(await client.setPolicy('one', { health: { max_cost_usd: 2 } }, { reason: 'cheap' })).toMatchObject({
    id: 'one',
  })
  expect(await client.resume('one')).toMatchObject({ paused: false })
  expect(await client.cancel('two', { queue: true })).toMatchObject({ cancelled: false })
  expect(await client.sessionHealth('three', 'scripted')).toMatchObject({ score: 100, flags: [] })
  for await (const { type } of client.healthFeed('three')) {
    expect(type).toBe('health_snapshot')
    break
  }
})

test('[H76] [H77] [H78] [H79] approvals wait, are answered with a pause, and are history afterwards', async () => {
  const client = await world()
  for (const id of ['one', 'two', 'three'])
    await client.invoke('scripted', id, scriptBody({ approve: 'write', risk: 'medium' }, { text: 'on' }), {
      async: true,
    })
  while ((await client.approvals()).approvals.length < 3) await new Promise(setImmediate)
  const waiting = new Map((await client.approvals()).approvals.map((each) => [each.sessionId, each]))
  expect(waiting.get('one')).toMatchObject({ status: 'pending', risk: 'caution', effect: null })
  const idIn = (session: string) => waiting.get(session)?.id ?? ''
  await client.approve('one', idIn('one'), { pause: true, reason: 'fine' })
  await client.reject('two', idIn('two'))
  while ((await client.session('one')).status !== 'paused') await new Promise(setImmediate)
  const { approvals } = await client.approvals({ status: 'decided' })
  expect(approvals.map(({ sessionId, status, decidedBy }) => `${sessionId} ${status} ${decidedBy}`).toSorted()).toEqual(
    ['one approved ann', 'two denied ann'],
  )
  expect((await client.approvals({ status: 'all', limit: 2 })).approvals[0]).toMatchObject({ sessionId: 'three' })
  const late = await client.approve('two', idIn('two')).catch((error: unknown) => error as FabricError)
  expect(late).toMatchObject({
    ...{ status: 409, type: 'conflict' },
    settledApproval: { decision: 'denied', decidedBy: 'ann' },
  })
})
