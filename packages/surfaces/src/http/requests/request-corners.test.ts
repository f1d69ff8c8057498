// Corners of requests: decisions that contradict their path, ids of two agents, limits, keys in quotes, encoded bodies, prefixes.
import { describe, expect, test, vi } from 'vitest'
import { fabricSocketRoutes } from '../../fabric/routes.ts'
import { testApp } from '../test-app.suite.ts'
import { collectFrames, isIdle, type SseFrame, scriptBody } from '../test-client.suite.ts'

describe('[H43] a decision in the body', () => {
  const ids = ['a', 'b', 'c']
  /** Three sessions, each waiting for an approval. */
  const waiting = async () => {
    const { get, post } = testApp()
    for (const id of ids)
      await post(`/agents/scripted/${id}`, scriptBody({ approve: 'write', id: `call-${id}` }), {
        prefer: 'respond-async',
      })
    const rows = await vi.waitFor(async () => {
      const { approvals } = (await get('/approvals')).body
      expect(approvals).toHaveLength(ids.length)
      return approvals as { id: string; sessionId: string }[]
    })
    const pathOf = (id: string) => `/sessions/${id}/approvals/${rows.find(({ sessionId }) => sessionId === id)?.id}`
    return { get, post, pathOf }
  }

  test('that contradicts the path is a 400, and the approval stays open', async () => {
    const { get, post, pathOf } = await waiting()
    const wrong = [
      ...['denied', 'deny', 'reject', 'rejected', 'DENIED', '', 'maybe', null, false, 1].map((one) => ['approve', one]),
      ...['approved', 'approve', 'Approved', '', 'maybe', null, true, {}].map((one) => ['reject', one]),
    ] as const
    for (const [index, [verb, decision]] of wrong.entries()) {
      const { status, body } = await post(`${pathOf(ids[index % 3] as string)}/${verb}`, { decision })
      expect([verb, decision, status, typeof body.error]).toEqual([verb, decision, 400, 'string'])
    }
    expect((await get('/approvals')).body.approvals).toHaveLength(3)
  })

  test('that says the same, or none, is fine', async () => {
    const { post, pathOf } = await waiting()
    expect((await post(`${pathOf('a')}/approve`, { decision: 'approved' })).body).toMatchObject({
      decision: 'approved',
    })
    expect((await post(`${pathOf('b')}/reject`, { decision: 'Rejected' })).body).toMatchObject({ decision: 'denied' })
    expect((await post(`${pathOf('c')}/reject`, { reason: 'no' })).body).toMatchObject({ decision: 'denied' })
  })
})

test('[H21] the arguments of a timeline are those of the call, and nothing of the log’s own', async () => {
  const { get, post } = testApp()
  const steps = scriptBody({ tool: 'read', args: { p: 1 } }, { approve: 'write', args: { p: 2 } }, { text: 'x' })
  for (const id of ['a', 'b', 'c']) {
    const answer = post(`/agents/scripted/${id}`, steps)
    const [approval] = await vi.waitFor(async () => {
      const found = (await get(`/agents/scripted/${id}`)).body.approvals as { id: string }[]
      expect(found).toHaveLength(1)
      return found
    })
    await post(`/sessions/${id}/approvals/${approval?.id}/approve`)
    await answer
    const { body } = await get(`/agents/scripted/${id}`)
    const calls = (body.entries as { type: string; args: unknown }[]).filter(({ type }) => type === 'tool_call')
    expect(calls.map(({ args }) => args)).toEqual([{ p: 1 }, { p: 2 }])
    expect((body.approvals as { args: unknown }[]).map(({ args }) => args)).toEqual([{ p: 2 }])
  }
})

test('[H52] a cancelled run says so to those who watch, and its open tasks end', async () => {
  const { app, get, post } = testApp()
  const working = scriptBody(
    { event: { type: 'subagent_event', payload: { agent_id: 't1', status: 'running' } } },
    { sleepMs: 60_000 },
  )
  for (const id of ['a', 'b', 'c']) {
    const { body } = await post(`/agents/scripted/${id}`, working, { prefer: 'respond-async' })
    const queued = await post(`/agents/scripted/${id}`, working, { prefer: 'respond-async' })
    await vi.waitFor(async () =>
      expect(JSON.stringify((await get(`/agents/scripted/${id}`)).body.events)).toContain('task_start'),
    )
    await post(`/sessions/${id}/cancel`, { reason: 'enough', queue: true })
    const response = await app.fetch(new Request(`http://127.0.0.1/sessions/${id}/events`))
    const frames = await collectFrames<SseFrame>(response, [], isIdle)
    // The notice that the second prompt is queued may come before or after the task.
    const shown = frames.filter(({ data }) => data.type !== 'notice')
    expect(frames).toHaveLength(shown.length + 1)
    expect(shown.map(({ data }) => [data.type, data.data]).slice(1)).toEqual([
      ['task_start', { taskId: 't1', status: 'running' }],
      ['cancelled', { runId: queued.body.runId, reason: 'enough', actor: null }],
      ['cancelled', { runId: body.runId, reason: 'enough', actor: null }],
      ['task_end', { taskId: 't1', status: 'cancelled', isError: true }],
      ['idle', {}],
    ])
  }
})

describe('[H15] an id that several agents have', () => {
  test('means the session that was made first, and ?agent= picks another', async () => {
    const { app, ask, get, post, advance } = testApp()
    /** The session that a socket opens, or opens again after it was cut. */
    const watched = (id: string, query = '') =>
      fabricSocketRoutes[0]?.session?.({
        request: new Request(`http://127.0.0.1/sessions/${id}/ws${query}`),
        param: () => id,
        query: {},
        access: { tenant: 'default', scopes: [], sessionId: null, user: null, who: '' },
        ports: app.ports,
      })
    const agents = ['hooked', 'scripted'] as const
    for (const [id, first] of [
      ['x', 'scripted'],
      ['y', 'hooked'],
      ['z', 'scripted'],
    ] as const) {
      await post(`/agents/${first}/${id}`, scriptBody({ text: 'first' }))
      advance(1_000)
      const second = agents.find((agent) => agent !== first) as string
      await post(`/agents/${second}/${id}`, scriptBody({ text: 'second' }))
      expect((await get(`/sessions/${id}`)).body.agent).toBe(first)
      expect((await get(`/sessions/${id}/health`)).status).toBe(200)
      expect((await get(`/sessions/${id}?agent=${second}`)).body.agent).toBe(second)
      expect((await post(`/sessions/${id}/cancel`)).body.agent).toBe(first)
      expect(await watched(id)).toMatchObject({ agent: first, id })
      expect(await watched(id, `?agent=${second}`)).toMatchObject({ agent: second, id })
      // Removed and made again, it is the younger one.
      await ask('DELETE', `/agents/${first}/${id}`)
      expect((await get(`/sessions/${id}`)).body.agent).toBe(second)
      advance(1_000)
      await post(`/agents/${first}/${id}`, scriptBody({ text: 'again' }))
      expect((await get(`/sessions/${id}`)).body.agent).toBe(second)
    }
  })
})

test('[H45] a limit of 0 is a 400 on every route that takes one', async () => {
  const { get, post } = testApp()
  await post('/agents/scripted/s', scriptBody({ text: 'x' }))
  for (const path of ['/sessions?', '/approvals?', '/agents/scripted/s?', '/sessions/s/audit?']) {
    expect([path, (await get(`${path}limit=0`)).status]).toEqual([path, 400])
    expect([path, (await get(`${path}limit=1`)).status]).toEqual([path, 200])
  }
})

test('[H21] ?after= of a timeline takes the same ids as a stream', async () => {
  const { get, post } = testApp()
  for (const id of ['a', 'b', 'c']) await post(`/agents/scripted/${id}`, scriptBody({ text: 'one', chunks: 3 }))
  for (const id of ['a', 'b', 'c']) {
    const plain = await get(`/agents/scripted/${id}?after=6`)
    expect(plain.status).toBe(200)
    expect((await get(`/agents/scripted/${id}?after=ev-6`)).body).toEqual(plain.body)
    expect((await get(`/agents/scripted/${id}?after=six`)).status).toBe(400)
  }
})

describe('[H3] the key', () => {
  test('in quotes, as a structured field has it, is the same key', async () => {
    const { post } = testApp()
    for (const id of ['a', 'b', 'c']) {
      const body = scriptBody({ text: id })
      const one = await post(`/agents/scripted/${id}`, body, { 'idempotency-key': 'k-1', prefer: 'respond-async' })
      const two = await post(`/agents/scripted/${id}`, body, { 'idempotency-key': '"k-1"', prefer: 'respond-async' })
      expect([one.status, two.status, two.body.runId]).toEqual([202, 202, one.body.runId])
    }
    const made = await post('/sessions', { prompt: 'x' }, { 'idempotency-key': '"bg"' })
    expect((await post('/sessions', { prompt: 'x' }, { 'idempotency-key': 'bg' })).body.id).toBe(made.body.id)
    const chat = await post('/chat/sessions', {}, { 'idempotency-key': '"chat"' })
    expect((await post('/chat/sessions', {}, { 'idempotency-key': 'chat' })).body.id).toBe(chat.body.id)
    for (const bad of ['"', '""', '"a', 'a"b', '"a b"'])
      expect((await post('/agents/scripted/a', scriptBody(), { 'idempotency-key': bad })).status).toBe(400)
  })
})

test('[H50] a body in an encoding is a 415 that says what to do', async () => {
  const { post } = testApp()
  for (const encoding of ['gzip', 'br', 'identity, gzip']) {
    const { status, body, headers } = await post('/agents/scripted/s', 'packed', { 'content-encoding': encoding })
    expect([status, headers.get('accept-encoding')]).toEqual([415, 'identity'])
    expect(body.error).toMatch(/Content-Encoding/)
  }
  expect((await post('/agents/scripted/s', scriptBody({ text: 'x' }), { 'content-encoding': 'identity' })).status).toBe(
    200,
  )
})

test('[H51] Location stands behind the prefix that a proxy names', async () => {
  const { post } = testApp({ authToken: 'secret' })
  const paths = [
    ['/agents/scripted/s', scriptBody({ text: 'x' }), '/sessions/s/runs/'],
    ['/sessions', { prompt: 'x' }, '/sessions/bg-'],
    ['/chat/sessions', {}, '/chat/sessions/chat-'],
  ] as const
  for (const [path, body, start] of paths) {
    const at = async (prefix?: string) => {
      const headers = {
        authorization: 'Bearer secret',
        prefer: 'respond-async',
        ...(prefix !== undefined && { 'x-forwarded-prefix': prefix }),
      }
      return (await post(path, body, headers)).headers.get('location') ?? ''
    }
    expect((await at()).startsWith(start)).toBe(true)
    expect((await at('/bridle')).startsWith(`/bridle${start}`)).toBe(true)
    expect((await at('/a/b/')).startsWith(`/a/b${start}`)).toBe(true)
    for (const odd of ['//evil.example', 'https://evil.example', '/a?b', '/..', 'x', '/'])
      expect((await at(odd)).startsWith(start)).toBe(true)
  }
})
