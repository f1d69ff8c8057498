// An answer that also pauses, on every wire that takes answers.
import { expect, test } from 'vitest'
import { performFabricCommand } from '../../fabric/commands.ts'
import { performTransportCommand } from '../../transport/commands.ts'
import { testApp } from '../test-app.suite.ts'
import { bearer, scriptBody } from '../test-client.suite.ts'

const keyOf = (id: string) => ({ tenant: 'default', agent: 'scripted', id })

test('[H79] by HTTP, by the transport and by the socket the call runs and the session pauses', async () => {
  const { post, get, host } = testApp()
  const ids = ['http', 'transport', 'socket', 'plain']
  for (const id of ids) void post(`/agents/scripted/${id}`, scriptBody({ approve: 'write' }, { text: 'next step' }))
  const approvals = async () => (await get('/approvals')).body.approvals as { id: string; sessionId: string }[]
  while ((await approvals()).length < ids.length) await new Promise(setImmediate)
  const open = new Map((await approvals()).map(({ id, sessionId }) => [sessionId, id]))
  const sessionOf = (id: string) => host.open(keyOf(id))

  await post(`/sessions/http/approvals/${open.get('http')}/approve`, { pause: true, actor: 'ann' })
  await performTransportCommand(
    { type: 'approve', approvalId: open.get('transport') ?? '', decision: 'approved', pause: true },
    await sessionOf('transport'),
    host,
    { user: null, viewer: null, uploads: undefined },
  )
  const scopes = ['observe', 'operate', 'approve'] as const
  const message = { type: 'approve', approvalId: open.get('socket') ?? '', decision: 'approved', pause: true } as const
  const context = { session: await sessionOf('socket'), scopes: ['approve'] as const, user: null, host }
  expect(await performFabricCommand(message, context)).toMatchObject({ ok: false })
  expect(await performFabricCommand(message, { ...context, scopes })).toMatchObject({ ok: true })
  await post(`/sessions/plain/approvals/${open.get('plain')}/approve`)

  const statusOf = async (id: string) => (await get(`/sessions/${id}`)).body.status
  for (const id of ids.slice(0, 3)) while ((await statusOf(id)) !== 'paused') await new Promise(setImmediate)
  while ((await statusOf('plain')) !== 'idle') await new Promise(setImmediate)
  for (const id of ids.slice(0, 3)) {
    const { messages } = (await get(`/sessions/${id}`)).body as {
      messages: { content: string; toolCalls?: object[] }[]
    }
    expect([id, messages.at(-1)]).toMatchObject([
      id,
      { content: '', toolCalls: [{ status: 'complete', outcome: 'ok' }] },
    ])
    const { audit } = (await get(`/sessions/${id}/audit`)).body as { audit: { action: string; actor: string | null }[] }
    expect([id, audit[0]]).toMatchObject([id, { action: 'paused', actor: id === 'http' ? 'ann' : null }])
    await post(`/sessions/${id}/resume`)
    while ((await statusOf(id)) !== 'idle') await new Promise(setImmediate)
  }
})

test('[H79] pausing needs the scope of an operator, too', async () => {
  const tokens = [{ token: 'answers', scopes: ['observe', 'approve'] as const }]
  const { post, get } = testApp({ authToken: 'all', tokens })
  void post('/agents/scripted/s', scriptBody({ approve: 'write' }, { text: 'x' }), bearer('all'))
  const approvals = async () => (await get('/approvals', bearer('all'))).body.approvals as { id: string }[]
  while ((await approvals()).length === 0) await new Promise(setImmediate)
  const [approval] = await approvals()
  const path = `/sessions/s/approvals/${approval?.id}/approve`
  expect((await post(path, { pause: true }, bearer('answers'))).status).toBe(403)
  expect(await approvals()).toHaveLength(1)
  expect((await post(path, {}, bearer('answers'))).status).toBe(200)
})
