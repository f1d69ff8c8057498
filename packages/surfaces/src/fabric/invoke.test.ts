// Long runs behind an invoke: which run it is, beats, patience, and a server that stops meanwhile.
import { describe, expect, test, vi } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { scriptBody } from '../http/test-client.suite.ts'
import { waitingRunner } from '../http/waiting-runner.suite.ts'

const sleeping = scriptBody({ sleepMs: 60_000 })
const asking = scriptBody({ approve: 'write' }, { text: 'after' })

describe('[H44] a long run', () => {
  test('every answer names its run in a header', async () => {
    const { post } = testApp()
    for (const id of ['a', 'b', 'c']) {
      const done = await post(`/agents/scripted/${id}`, scriptBody({ text: 'x' }))
      expect([done.status, done.headers.get('x-fabric-run-id')]).toEqual([200, 'r-2'])
      const failed = await post(`/agents/scripted/${id}`, scriptBody({ fail: 'no' }))
      const run = failed.headers.get('x-fabric-run-id')
      expect([failed.status, run]).toEqual([500, expect.stringMatching(/^r-\d+$/)])
      const later = await post(`/agents/scripted/${id}`, scriptBody({ text: 'y' }), { prefer: 'respond-async' })
      expect(later.headers.get('x-fabric-run-id')).toBe(later.body.runId)
    }
  })

  test('Prefer: wait answers in time, with the result or with where to look', async () => {
    const { get, host, post } = testApp()
    for (const prefer of ['respond-async, wait=30', 'wait=30', 'handling=lenient; x, wait=30'])
      expect((await post('/agents/scripted/quick', scriptBody({ text: 'x' }), { prefer })).status).toBe(200)
    for (const prefer of ['respond-async, wait=0', 'wait=0']) {
      const { status, body, headers } = await post('/agents/scripted/slow', sleeping, { prefer })
      expect([status, headers.get('preference-applied')]).toEqual([202, prefer])
      expect((await get(headers.get('location') ?? '')).body.runId).toBe(body.runId)
    }
    expect((await post('/agents/scripted/quick', scriptBody({ text: 'x' }), { prefer: 'wait=soon' })).status).toBe(200)
    // A caller that got a 202 does not listen any more.
    const { body } = await post('/agents/scripted/late', sleeping, { prefer: 'wait=1' })
    expect([body.status, host.counts().listeners]).toEqual(['accepted', 0])
  })

  test('Prefer: heartbeat sends headers at once, white space meanwhile, and how it ended as the body', async () => {
    const { app, get, post } = testApp({ heartbeatMs: 5 })
    const headers = { prefer: 'heartbeat' }
    const invoke = (id: string, body: unknown) =>
      app.fetch(
        new Request(`http://127.0.0.1/agents/scripted/${id}`, { method: 'POST', headers, body: JSON.stringify(body) }),
      )
    const ends = [
      ['a', 'approve', { result: 'after', sessionId: 'a', agentPath: '/agents/scripted/a' }],
      ['b', 'cancel', { status: 409, error: { type: 'conflict', message: 'The run was cancelled.' } }],
      ['c', 'approve', { result: 'after', sessionId: 'c', agentPath: '/agents/scripted/c' }],
    ] as const
    for (const [id, act, body] of ends) {
      const response = await invoke(id, asking)
      expect([response.status, response.headers.get('x-fabric-run-id')]).toEqual([200, 'r-2'])
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('preference-applied')).toBe('heartbeat')
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      let text = ''
      while (text.length < 3) text += new TextDecoder().decode((await reader.read()).value)
      expect(text.trim()).toBe('')
      const [open] = await vi.waitFor(async () => {
        const found = (await get(`/sessions/${id}`)).body.approvals as { id: string }[]
        expect(found).toHaveLength(1)
        return found
      })
      await post(act === 'cancel' ? `/sessions/${id}/cancel` : `/sessions/${id}/approvals/${open?.id}/approve`)
      for (let read = await reader.read(); !read.done; read = await reader.read())
        text += new TextDecoder().decode(read.value)
      expect(JSON.parse(text)).toEqual(body)
    }
    const failed = (await (await invoke('d', scriptBody({ fail: 'no' }))).json()) as object
    expect(failed).toMatchObject({ status: 500, error: { type: 'internal_error', message: 'no' }, sessionId: 'd' })
    // A refusal before the run begins keeps its status.
    expect((await invoke('d', { prompt: 1 })).status).toBe(400)
  })
})

test('[H2] a server that stops says by the kind of run what becomes of it', async () => {
  const { get, host, post } = testApp({}, { waiter: waitingRunner() })
  const answers = [
    ['a durable run', post('/agents/waiter/waits', { prompt: 'go' })],
    ['scripted waits for an approval', post('/agents/scripted/asks', asking)],
    ['scripted works', post('/agents/scripted/works', sleeping)],
    ['a function waits for an approval', post('/agents/hooked/asks', asking)],
    ['a function works', post('/agents/hooked/works', sleeping)],
  ] as const
  await vi.waitFor(async () => expect((await get('/approvals')).body.approvals).toHaveLength(2))
  await vi.waitFor(async () => expect((await get('/sessions?status=running')).body.sessions).toHaveLength(3))
  const queued = ['a function', 'a function'].map(() => post('/agents/hooked/works', scriptBody({ text: 'next' })))
  await vi.waitFor(async () => expect((await get('/sessions/works?agent=hooked')).body.queued).toBe(2))
  await host.stop()
  const seen = async (answer: ReturnType<typeof post>) => {
    const { status, body, headers } = await answer
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    const { message } = body.error as { message: string }
    return /may be interrupted/.test(message) ? 'may be interrupted' : /goes on/.test(message) ? 'goes on' : message
  }
  const told = await Promise.all(answers.map(async ([kind, answer]) => [kind, await seen(answer)]))
  expect(told).toEqual([
    ['a durable run', 'goes on'],
    ['scripted waits for an approval', 'goes on'],
    ['scripted works', 'may be interrupted'],
    ['a function waits for an approval', 'may be interrupted'],
    ['a function works', 'may be interrupted'],
  ])
  for (const answer of queued) expect(await seen(answer)).toBe('goes on')
})
