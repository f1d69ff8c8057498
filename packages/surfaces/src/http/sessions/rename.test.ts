// Titles that people give sessions.
import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, collectFrames, type SseFrame, scriptBody } from '../test-client.suite.ts'

const tokens = ['ada', 'bo', 'cy'].map((user) => ({ token: user, user }))

test('[H132] a title replaces the beginning of the prompt, for its owner and staff alone', async () => {
  const { ask, get, post, app } = testApp({ authToken: 'staff', tokens })
  const rename = (id: string, body: unknown, token: string, headers = {}) =>
    ask('PATCH', `/sessions/${id}`, body, { ...bearer(token), ...headers })
  for (const { user } of tokens) await post(`/agents/scripted/${user}`, scriptBody({ text: 'x' }), bearer(user))

  const renamed = await rename('ada', { title: '  Garden  ' }, 'ada')
  expect(renamed).toMatchObject({ status: 200, body: { id: 'ada', title: 'Garden' } })
  expect((await rename('ada', { title: 'Garden' }, 'ada')).body.lastEventId).toBe(renamed.body.lastEventId)
  expect((await rename('bo', { title: 'Mine' }, 'ada')).status).toBe(404)
  expect((await rename('bo', { title: 'Kitchen', actor: 'Sam' }, 'staff')).status).toBe(200)
  await post('/agents/scripted/ada', scriptBody({ text: 'more' }), bearer('ada'))
  const { sessions } = (await get('/sessions', bearer('staff'))).body as { sessions: { id: string; title: string }[] }
  expect(Object.fromEntries(sessions.map(({ id, title }) => [id, title]))).toMatchObject({
    ada: 'Garden',
    bo: 'Kitchen',
  })
  const { audit } = (await get('/sessions/ada/audit', bearer('ada'))).body as { audit: unknown[] }
  expect(audit).toContainEqual(expect.objectContaining({ action: 'renamed', actor: 'ada', summary: 'Garden' }))
  const stream = await app.fetch(new Request('http://127.0.0.1/sessions/bo/events', { headers: bearer('bo') }))
  const frames = await collectFrames<SseFrame>(stream, [], (seen) => seen.at(-1)?.data.type === 'operator_action')
  expect(frames.at(-1)?.data.data).toEqual({
    action: 'rename',
    actor: 'Sam',
    actorClaimed: true,
    reason: null,
    name: 'Kitchen',
  })
})

test('[H132] once per Idempotency-Key, and before the first prompt too', async () => {
  const { ask, post, get } = testApp()
  const { id } = (await post('/chat/sessions', { agent: 'scripted' })).body as { id: string }
  const send = (title: string, key: string) => ask('PATCH', `/sessions/${id}`, { title }, { 'idempotency-key': key })
  await send('One', 'k1')
  await send('Two', 'k2')
  await send('One', 'k1')
  expect((await get(`/sessions/${id}`)).body.title).toBe('Two')
  await post(`/agents/scripted/${id}`, scriptBody({ text: 'x' }))
  expect((await get(`/sessions/${id}`)).body.title).toBe('Two')
})

test.each([[{}], [{ title: '' }], [{ title: '   ' }], [{ title: 7 }], [{ title: 'x'.repeat(201) }]])(
  '[H132] %j is no title',
  async (body) => {
    const { ask, post } = testApp()
    await post('/agents/scripted/s', scriptBody({ text: 'x' }))
    expect((await ask('PATCH', '/sessions/s', body)).status).toBe(400)
  },
)

test.each([
  ['/sessions', { agent: 'scripted', prompt: 'x' }, 202],
  ['/chat/sessions', { agent: 'scripted' }, 201],
  ['/chat/sessions/first/branch', { from_event_id: 'ev-1' }, 201],
  ['/sessions/first/replay', {}, 201],
] as const)('[H132] a title in POST %s has the same limits', async (path, body, made) => {
  const { post, get } = testApp()
  await post('/chat/sessions', { agent: 'scripted', session_id: 'first' })
  await post('/agents/scripted/first', scriptBody({ text: 'x' }))
  for (const title of ['', '   ', 'x'.repeat(201)]) expect((await post(path, { ...body, title })).status).toBe(400)
  const { status, body: session } = await post(path, { ...body, title: ' Plans ' })
  expect([status, (await get(`/sessions/${session.id}`)).body.title]).toEqual([made, 'Plans'])
})
