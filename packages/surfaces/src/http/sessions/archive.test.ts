// Sessions that somebody puts away, and the filters of the list.
import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { collectFrames, type SseFrame, scriptBody } from '../test-client.suite.ts'

const world = async () => {
  const app = testApp()
  for (const id of ['one', 'two', 'three']) {
    await app.post(`/agents/scripted/${id}`, scriptBody({ text: id }))
    app.advance(1_000)
  }
  const listed = async (query = '') => {
    const { sessions } = (await app.get(`/sessions${query}`)).body as { sessions: { id: string; archived: boolean }[] }
    return sessions.map(({ id, archived }) => `${id}${archived ? ' (archived)' : ''}`)
  }
  return { ...app, listed }
}

test('[H80] an archived session leaves the list, and comes back when it is asked for', async () => {
  const { post, get, listed } = await world()
  const put = await post('/sessions/two/archive', { actor: 'ann', reason: 'done with it' })
  expect(put).toMatchObject({ status: 200, body: { id: 'two', archived: true, status: 'idle' } })
  expect(await listed()).toEqual(['three', 'one'])
  expect(await listed('?archived=false')).toEqual(['three', 'one'])
  expect(await listed('?archived=true')).toEqual(['two (archived)'])
  expect(await listed('?archived=all')).toEqual(['two (archived)', 'three', 'one'])
  expect((await get('/sessions/two')).body.archived).toBe(true)
  expect((await get('/chat/sessions/two')).body.archived).toBe(true)
  // Once more changes nothing, and writes nothing.
  const again = await post('/sessions/two/archive')
  expect(again.body.lastEventId).toBe(put.body.lastEventId)
  expect((await post('/sessions/two/unarchive')).body.archived).toBe(false)
  expect(await listed()).toEqual(['two', 'three', 'one'])
  const { audit } = (await get('/sessions/two/audit')).body as { audit: { action: string; actor: string }[] }
  expect(audit.slice(0, 2)).toMatchObject([
    { action: 'unarchived', actor: null },
    { action: 'archived', actor: 'ann', summary: 'done with it' },
  ])
  expect((await post('/sessions/absent/archive')).status).toBe(404)
  expect((await get('/sessions?archived=maybe')).status).toBe(400)
})

test('[H80] a prompt takes it out again, and a branch is not archived', async () => {
  const { post, get, listed, app } = await world()
  for (const id of ['one', 'two', 'three']) await post(`/sessions/${id}/archive`)
  expect(await listed()).toEqual([])
  await post('/agents/scripted/one', scriptBody({ text: 'more' }))
  expect(await listed()).toEqual(['one'])
  const { lastEventId } = (await get('/sessions/two')).body
  const branched = await post('/chat/sessions/two/branch', { from_event_id: lastEventId, session_id: 'leaf' })
  expect(branched).toMatchObject({ status: 201, body: { archived: false } })
  expect(await listed()).toEqual(['leaf', 'one'])
  expect(await listed('?archived=true')).toEqual(['three (archived)', 'two (archived)'])
  // The Fabric wires tell of both.
  const stream = await app.fetch(new Request('http://127.0.0.1/sessions/one/events'))
  const frames = await collectFrames<SseFrame>(
    stream,
    [],
    (seen) => seen.filter(({ data: { type } }) => type === 'idle').length > 1,
  )
  const acts = frames.flatMap(({ data }) => (data.type === 'operator_action' ? [data.data.action] : []))
  expect(acts).toEqual(['archive', 'unarchive'])
})

test('[H80] background work can be put away after its end, and once per Idempotency-Key', async () => {
  const { post, get, listed } = await world()
  await post('/sessions', { ...scriptBody({ text: 'done' }), session_id: 'work', agent: 'scripted' })
  while ((await get('/sessions/work')).body.status !== 'completed') await new Promise(setImmediate)
  const first = await post('/sessions/work/archive', {}, { 'idempotency-key': 'k' })
  await post('/sessions/work/unarchive')
  // The same key is the same command: it does not archive a second time.
  expect((await post('/sessions/work/archive', {}, { 'idempotency-key': 'k' })).status).toBe(first.status)
  expect(await listed('?kind=background')).toEqual(['work'])
})

test('[H81] by engine, by flag and by time', async () => {
  const { post, get, listed } = await world()
  await post('/agents/hooked/own', scriptBody({ text: 'hi' }))
  expect(await listed('?engine=scripted')).toEqual(['three', 'two', 'one'])
  expect(await listed('?engine=native')).toEqual(['own'])
  expect(await listed('?engine=absent')).toEqual([])
  const before = new Date(1_700_000_001_500).toISOString()
  expect(await listed(`?changed_since=${before}`)).toEqual(['own', 'three'])
  expect(await listed(`?changed_since=${before.slice(0, -1)}`)).toEqual(['own', 'three'])
  for (const bad of ['0', '60', '2026', 'Nov 2026', '1700000001500', ''])
    expect([bad, (await get(`/sessions?changed_since=${bad}`)).status]).toEqual([bad, 400])
  void post('/agents/scripted/one', scriptBody({ approve: 'write' }))
  while (((await get('/approvals')).body.approvals as unknown[]).length === 0) await new Promise(setImmediate)
  expect(await listed('?flag=waiting')).toEqual(['one'])
  expect(await listed('?flag=stuck')).toEqual([])
  const unknown = await get('/sessions?flag=nope')
  expect([unknown.status, unknown.body.error]).toEqual([
    400,
    'query: flag: "nope" is none of stuck, budget, waiting, degraded',
  ])
})
