// The shared routes and the Fabric ones, asked without sockets.

import { ARTIFACTS_MAX } from '@bridle/events/limits'
import { emptyState } from '@bridle/kernel/projections/state'
import { listedCounts } from '@bridle/kernel/views/listed-counts'
import { describe, expect, test, vi } from 'vitest'
import { streamSourceOf } from '../streams/sse.ts'
import { testApp } from '../test-app.suite.ts'
import { scriptBody } from '../test-client.suite.ts'
import { parseRange } from './artifacts.ts'

describe('[H20] listing', () => {
  test('filters, searches and pages', async () => {
    const { get, post, advance } = testApp()
    for (const id of ['a1', 'a2', 'b1']) {
      advance(1_000)
      await post(`/agents/scripted/${id}`, scriptBody(id === 'b1' ? { fail: 'no' } : { text: 'x' }))
    }
    const ids = async (query: string) =>
      ((await get(`/sessions${query}`)).body.sessions as { id: string }[]).map(({ id }) => id)
    expect(await ids('')).toEqual(['b1', 'a2', 'a1'])
    expect(await ids('?status=failed')).toEqual(['b1'])
    expect(await ids('?search=A2')).toEqual(['a2'])
    expect(await ids('?agent=hooked')).toEqual([])
    const first = await get('/sessions?limit=2')
    expect(first.body.next).toEqual(expect.any(String))
    expect(await ids(`?limit=2&cursor=${first.body.next}`)).toEqual(['a1'])
    expect((first.body.sessions as object[])[0]).toMatchObject({
      id: 'b1',
      sessionId: 'b1',
      session_id: 'b1',
      status: 'failed',
      agent: 'scripted',
      last_error: 'no',
    })
  })

  test('by creation, the oldest first, whatever changed since', async () => {
    const { get, post, advance } = testApp()
    for (const id of ['a', 'b', 'c', 'a', 'd', 'b']) {
      advance(1_000)
      await post(`/agents/scripted/${id}`, scriptBody({ text: id }))
    }
    const page = async (query: string) => {
      const { sessions, next } = (await get(`/sessions?limit=2${query}`)).body
      return { ids: (sessions as { id: string }[]).map(({ id }) => id), next: String(next) }
    }
    const first = await page('&order=created')
    await post('/agents/scripted/c', scriptBody({ text: 'busy' }))
    const second = await page(`&order=created&cursor=${first.next}`)
    expect([...first.ids, ...second.ids]).toEqual(['a', 'b', 'c', 'd'])
    expect((await page('&order=updated')).ids).toEqual(['c', 'b'])
    expect((await get('/sessions?order=size')).status).toBe(400)
    expect((await get(`/sessions?cursor=${first.next}`)).status).toBe(400)
  })

  test('says of each what its own page says: a chat that rests has not ended', async () => {
    const { get, post } = testApp()
    await post('/agents/scripted/chat', scriptBody({ text: 'x' }))
    await post('/sessions', { engine: 'scripted', session_id: 'work', prompt: scriptBody({ text: 'x' }).prompt })
    await vi.waitFor(async () => expect((await get('/sessions/work')).body.status).toBe('completed'))
    const rows = (await get('/sessions')).body.sessions as Record<string, unknown>[]
    expect(rows.map(({ id, ended_at }) => [id, typeof ended_at])).toEqual([
      ['work', 'string'],
      ['chat', 'object'],
    ])
    const counts = Object.keys(listedCounts(emptyState))
    for (const { pendingApprovals: _, health: __, ...row } of rows) {
      const facts = Object.entries(row).filter(([name]) => !counts.includes(name))
      expect((await get(`/sessions/${row.id}`)).body).toMatchObject(Object.fromEntries(facts))
    }
  })

  test.each(['?limit=many', '?limit=9999', '?status=odd', '?cursor=%27', '?kind=x'])('%s is a 400', async (query) => {
    const { status, body } = await testApp().get(`/sessions${query}`)
    expect([status, typeof body.error]).toEqual([400, 'string'])
  })
})

describe('[H42] the inbox', () => {
  test('says what is asked, with its arguments, and in which session, of three sessions and two tenants', async () => {
    const { get, post, host } = testApp()
    const long = 'x'.repeat(20_000)
    const asks = [
      {
        tenant: 'acme',
        id: 's1',
        args: { command: 'rm -rf build', deep: { list: [1, null, '\u202e'] } },
        reason: 'cleans',
      },
      { tenant: 'acme', id: 's2', args: { text: long }, reason: 'writes' },
      { tenant: 'other', id: 's1', args: {}, reason: 'r'.repeat(3_000) },
    ]
    const answers = asks.map(({ tenant, id, args, reason }) =>
      post(`/agents/scripted/${id}`, scriptBody({ approve: 'write', id: 'c1', args, reason }), {
        'x-fabric-tenant': tenant,
      }),
    )
    for (const { tenant, id } of asks) {
      const session = await host.open({ tenant, agent: 'scripted', id })
      while (Object.keys(session.state.approvals.open).length === 0) await new Promise(setImmediate)
    }
    const inbox = async (tenant: string) =>
      (await get('/approvals', { 'x-fabric-tenant': tenant })).body.approvals as Record<string, unknown>[]
    const acme = await inbox('acme')
    expect(acme).toMatchObject([
      { sessionId: 's1', kind: 'tool', toolCallId: 'c1', args: asks[0]?.args, reason: 'cleans', isCut: false },
      { sessionId: 's2', args: null, reason: 'writes', isCut: true },
    ])
    expect(acme.map(({ title }) => title)).toEqual([
      expect.stringMatching(/^@script .*rm -rf/),
      expect.stringMatching(/^@script .*xxx/),
    ])
    expect(await inbox('other')).toMatchObject([{ sessionId: 's1', args: {}, isCut: true }])
    // The session has what does not fit into a row.
    const { body } = await get('/sessions/s2', { 'x-fabric-tenant': 'acme' })
    expect(body.approvals).toMatchObject([{ id: acme[1]?.id, args: { text: long } }])
    for (const { tenant, id } of asks) {
      const [row] = (await inbox(tenant)).filter(({ sessionId }) => sessionId === id)
      await post(`/sessions/${id}/approvals/${row?.id}/reject`, {}, { 'x-fabric-tenant': tenant })
    }
    await Promise.all(answers)
    expect([await inbox('acme'), await inbox('other')]).toEqual([[], []])
  })
})

describe('[H21] the timeline', () => {
  test('has entries in order, the stream’s events, artifacts and approvals', async () => {
    const { get, post, host } = testApp()
    const steps = scriptBody(
      { tool: 'read', id: 'c1', args: { p: 1 }, result: { ok: 1 } },
      { approve: 'write', id: 'c2', args: { p: 2 } },
      { checkpoint: 'half' },
      { artifact: { name: 'a.txt', content: 'hello' } },
      { text: 'done' },
    )
    const answer = post('/agents/scripted/s1', steps)
    const session = await host.open({ tenant: 'default', agent: 'scripted', id: 's1' })
    while (Object.keys(session.state.approvals.open).length === 0) await new Promise(setImmediate)
    const [approvalId] = Object.keys(session.state.approvals.open)
    expect((await get('/approvals?status=pending')).body.approvals).toMatchObject([
      { id: approvalId, sessionId: 's1', toolName: 'write', status: 'pending' },
    ])
    await post(`/sessions/s1/approvals/${approvalId}/approve`, { actor: 'me' })
    await answer
    const { status, body } = await get('/agents/scripted/s1')
    expect(status).toBe(200)
    expect((body.entries as { type: string; status?: string }[]).map((entry) => [entry.type, entry.status])).toEqual([
      ['prompt', undefined],
      ['tool_call', 'ok'],
      ['tool_call', 'ok'],
      ['checkpoint', 'completed'],
      ['turn', 'completed'],
    ])
    expect((body.events as { type: string }[]).map((event) => event.type).slice(0, 3)).toEqual([
      'prompt_start',
      'tool_start',
      'tool_end',
    ])
    expect(body.artifacts).toMatchObject([{ name: 'a.txt', size: 5 }])
    expect(body.approvals).toMatchObject([{ id: approvalId, status: 'approved', actor: 'me' }])
    expect((await get('/approvals')).body).toEqual({ approvals: [] })
    const page = await get('/agents/scripted/s1?limit=4')
    expect(page.body.next).toBe(4)
    expect((await get('/agents/scripted/nope')).status).toBe(404)
  })
})

test('[H22] DELETE erases, and a new session of that id starts empty with higher numbers', async () => {
  const { ask, get, post } = testApp()
  await post('/agents/scripted/s1', scriptBody({ text: 'old' }))
  const before = Number(String((await get('/sessions/s1')).body.lastEventId).slice(3))
  expect(await ask('DELETE', '/agents/scripted/s1')).toMatchObject({ status: 200, body: { deleted: true } })
  expect((await get('/sessions/s1')).status).toBe(404)
  expect((await ask('DELETE', '/agents/scripted/s1')).status).toBe(404)
  await post('/agents/scripted/s1', scriptBody({ text: 'new' }))
  const { body } = await get('/agents/scripted/s1')
  const events = body.events as { id: string; data: { delta?: string } }[]
  expect(events.map(({ data }) => data.delta).filter(Boolean)).toEqual(['new'])
  expect(Number(events[0]?.id.slice(3))).toBeGreaterThan(before)
})

test('[H22] a cursor of the old life is told to begin again', async () => {
  const { app, ask, get, post } = testApp()
  await post('/agents/scripted/s1', scriptBody({ text: 'old' }))
  const cursor = String((await get('/sessions/s1')).body.lastEventId).slice(3)
  await ask('DELETE', '/agents/scripted/s1')
  const first = async () => {
    const response = await app.fetch(new Request(`http://127.0.0.1/agents/scripted/s1/stream?after=${cursor}`))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    while (!text.includes('data:')) text += new TextDecoder().decode((await reader.read()).value)
    await reader.cancel()
    return text
  }
  expect(await first()).toContain('"type":"reset"')
  await post('/agents/scripted/s1', scriptBody({ text: 'new' }))
  expect(await first()).toContain('"type":"reset"')
})

test('[H22] whoever waits for a run of a session that is removed is told so', async () => {
  const { ask, post, host } = testApp()
  const answer = post('/agents/scripted/s1', scriptBody({ sleepMs: 60_000 }))
  const session = await host.open({ tenant: 'default', agent: 'scripted', id: 's1' })
  while (session.state.lifecycle.run?.phase !== 'started') await new Promise(setImmediate)
  await ask('DELETE', '/agents/scripted/s1')
  expect(await answer).toMatchObject({
    status: 404,
    body: { error: 'Not found', message: 'There is no session s1 of the agent scripted.' },
  })
})

test('an event stream reaches the target as the very response that has the feed', async () => {
  const { app } = testApp()
  const headers = { origin: 'http://localhost:5173' }
  const response = await app.fetch(new Request('http://127.0.0.1/agents/scripted/s1/stream', { headers }))
  expect(streamSourceOf(response)).toBeDefined()
  expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
})

describe('[H12] limits of what is kept', () => {
  test('a command that is too large or too deep is refused', async () => {
    const { post } = testApp()
    const huge = await post('/agents/scripted/s1', { prompt: 'x', pad: 'y'.repeat(2_000_000) })
    expect([huge.status, huge.body.error]).toEqual([400, expect.stringContaining('1.5 million characters')])
    await post('/agents/scripted/s1', scriptBody({ text: 'x' }))
    const reason = await post('/sessions/s1/cancel', { reason: 'y'.repeat(2_000_000) })
    expect(reason.status).toBe(400)
  })

  test('what an agent nests too deeply fails its run, and nothing else', async () => {
    const { post } = testApp()
    let args: unknown = {}
    for (let depth = 0; depth < 3_000; depth++) args = { args }
    const failed = await post('/agents/scripted/s1', scriptBody({ tool: 't', args: args as object }))
    expect([failed.status, (failed.body.error as { message: string }).message]).toEqual([
      500,
      expect.stringContaining('nested'),
    ])
    expect((await post('/agents/scripted/s1', scriptBody({ text: 'fine' }))).body.result).toBe('fine')
  })

  test('a long history shows its newest messages, and says how many came before', async () => {
    const { get, post } = testApp()
    for (let turn = 0; turn < 5; turn++) await post('/agents/scripted/s1', scriptBody({ text: 'x'.repeat(900_000) }))
    const { body } = await get('/sessions/s1')
    expect((body.messages as object[]).length + Number(body.earlierMessages)).toBe(10)
    expect(body.earlierMessages).toBeGreaterThan(0)
  })

  test('a mistake is not told back at full length', async () => {
    const { body } = await testApp().get(`/sessions?status=${'x'.repeat(5_000)}`)
    expect(String(body.error).length).toBeLessThan(600)
  })
})

test('[H23] Prefer: respond-async answers at once and says where to look', async () => {
  const { get, post } = testApp()
  const { status, body, headers } = await post('/agents/scripted/s1', scriptBody({ sleepMs: 5 }, { text: 'late' }), {
    prefer: 'respond-async',
  })
  expect([status, body.status]).toEqual([202, 'accepted'])
  const location = headers.get('location') ?? ''
  let run = await get(location)
  while (run.body.status === 'running') {
    await new Promise(setImmediate)
    run = await get(location)
  }
  expect(run.body).toEqual({ runId: body.runId, status: 'completed', result: 'late' })
  expect((await get('/sessions/s1/runs/r-999')).status).toBe(404)
  expect((await get('/sessions/s1/runs/nonsense')).status).toBe(404)
})

test('[H26] a run is cancelled by its session, and a stale name does nothing', async () => {
  const { get, post } = testApp()
  const answer = post('/agents/scripted/s1', scriptBody({ sleepMs: 60_000 }))
  const started = await post('/agents/scripted/s1', scriptBody({ text: 'next' }), { prefer: 'respond-async' })
  expect((await post('/sessions/s1/cancel', { runId: 'r-999' })).body).toMatchObject({ cancelled: false })
  expect((await post('/sessions/s1/cancel', { reason: 'enough', actor: 'me' })).body).toMatchObject({ cancelled: true })
  expect((await answer).status).toBe(409)
  while ((await get(`/sessions/s1/runs/${started.body.runId}`)).body.status !== 'completed')
    await new Promise(setImmediate)
  expect((await post('/sessions/nope/cancel')).status).toBe(404)
})

describe('[H24] artifacts', () => {
  const text = `héllo ${'x'.repeat(300_000)} 😀`
  const bytes = Buffer.from(text)
  test('are read in whole or by range, by id before name', async () => {
    const { app, get, post } = testApp()
    await post(
      '/agents/scripted/s1',
      scriptBody({ artifact: { name: 'a.txt', content: text } }, { artifact: { name: 'b.txt', content: 'b' } }),
    )
    const list = (await get('/sessions/s1/artifacts')).body.artifacts as { id: string; name: string; size: number }[]
    expect(list.map(({ name }) => name)).toEqual(['b.txt', 'a.txt'])
    expect(list[1]?.size).toBe(bytes.byteLength)
    const read = async (id: string, range?: string) => {
      const response = await app.fetch(
        new Request(`http://127.0.0.1/sessions/s1/artifacts/${id}`, { headers: range ? { range } : {} }),
      )
      return {
        status: response.status,
        bytes: Buffer.from(await response.arrayBuffer()),
        range: response.headers.get('content-range'),
      }
    }
    expect((await read(list[1]?.id ?? '')).bytes.equals(bytes)).toBe(true)
    expect((await read('a.txt')).bytes.equals(bytes)).toBe(true)
    for (const [range, from, to] of [
      ['bytes=0-9', 0, 9],
      ['bytes=299990-', 299_990, bytes.length - 1],
      ['bytes=-7', bytes.length - 7, bytes.length - 1],
    ] as const) {
      const part = await read('a.txt', range)
      expect([part.status, part.range]).toEqual([206, `bytes ${from}-${to}/${bytes.length}`])
      expect(part.bytes.equals(bytes.subarray(from, to + 1))).toBe(true)
    }
    expect((await read('a.txt', 'bytes=99999999-')).status).toBe(416)
    expect((await read('nope')).status).toBe(404)
  })

  test('of a session with very many, the newest are shown and the others are read from the log', async () => {
    const { app, get, post } = testApp()
    const names = Array.from({ length: ARTIFACTS_MAX + 5 }, (_, index) => `a-${index}`)
    await post('/agents/scripted/s1', scriptBody(...names.map((name) => ({ artifact: { name, content: name } }))))
    const pages: { id: string; name: string }[][] = []
    for (let before = ''; ; ) {
      const { body } = await get(`/sessions/s1/artifacts${before}`)
      pages.push(body.artifacts as { id: string; name: string }[])
      if (body.next === undefined) break
      before = `?before=${body.next}`
    }
    expect(pages.map(({ length }) => length)).toEqual([ARTIFACTS_MAX, 5])
    expect(pages.flat().map(({ name }) => name)).toEqual(names.toReversed())
    expect((await get('/agents/scripted/s1')).body).toMatchObject({ artifacts: pages[0], earlierArtifacts: 5 })
    const read = async (wish: string) => (await app.fetch(new Request(`http://127.0.0.1${at}${wish}`))).text()
    const at = '/sessions/s1/artifacts/'
    expect(await Promise.all(['a-0', pages[1]?.[4]?.id ?? '', 'a-1004'].map(read))).toEqual(['a-0', 'a-0', 'a-1004'])
    expect(await Promise.all([get(`${at}a-9999`), get(`${at}art-9999`)])).toMatchObject([
      { status: 404 },
      { status: 404 },
    ])
  })

  test.each([
    ['bytes=0-0', [0, 0]],
    ['bytes=5-2', null],
    ['bytes=-', null],
    ['items=0-1', null],
    ['bytes=0-1,3-4', null],
    ['bytes=10-', 'outside'],
    ['bytes=-0', 'outside'],
    ['bytes=-99', [0, 9]],
  ])('%s of ten bytes is %j', (range, expected) => expect(parseRange(range, 10)).toEqual(expected))
})

describe('[H25] descriptions', () => {
  test('every route that is served is in /openapi.json, and nothing else', async () => {
    const { get } = testApp()
    const { body } = await get('/openapi.json')
    const paths = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(paths.toSorted()).toEqual([
      'delete /agents/{name}/{id}',
      'get /agents',
      'get /agents/{name}/{id}',
      'get /agents/{name}/{id}/stream',
      'get /approvals',
      'get /builds',
      'get /changes',
      'get /changes/ws',
      'get /chat/sessions/{id}',
      'get /chat/sessions/{id}/events/stream',
      'get /docs',
      'get /engines',
      'get /export',
      'get /health',
      'get /me',
      'get /metrics',
      'get /openapi.json',
      'get /ready',
      'get /sessions',
      'get /sessions/{id}',
      'get /sessions/{id}/artifacts',
      'get /sessions/{id}/artifacts/{artifactId}',
      'get /sessions/{id}/audit',
      'get /sessions/{id}/channel',
      'get /sessions/{id}/events',
      'get /sessions/{id}/events/stream',
      'get /sessions/{id}/export',
      'get /sessions/{id}/health',
      'get /sessions/{id}/health/stream',
      'get /sessions/{id}/log',
      'get /sessions/{id}/memory',
      'get /sessions/{id}/runs/{runId}',
      'get /sessions/{id}/tree',
      'get /sessions/{id}/voice',
      'get /sessions/{id}/workspace',
      'get /sessions/{id}/workspace/file',
      'get /sessions/{id}/workspace/files',
      'get /sessions/{id}/ws',
      'get /stream-events',
      'get /v1/openharness/schema',
      'get /workspaces',
      'get /ws',
      'patch /sessions/{id}',
      'post /agents/{name}/{id}',
      'post /chat/sessions',
      'post /chat/sessions/{id}/branch',
      'post /chat/sessions/{id}/turns',
      'post /files',
      'post /import',
      'post /openharness',
      'post /sessions',
      'post /sessions/{id}/approvals/{approvalId}/answer',
      'post /sessions/{id}/approvals/{approvalId}/approve',
      'post /sessions/{id}/approvals/{approvalId}/reject',
      'post /sessions/{id}/archive',
      'post /sessions/{id}/cancel',
      'post /sessions/{id}/memory/{proposalId}',
      'post /sessions/{id}/pause',
      'post /sessions/{id}/policy',
      'post /sessions/{id}/replay',
      'post /sessions/{id}/resume',
      'post /sessions/{id}/signal',
      'post /sessions/{id}/unarchive',
      'post /tickets',
      'post /v1/openharness',
    ])
    const list = (body.paths as Record<string, { get: { parameters: { name: string; schema: object }[] } }>)[
      '/sessions'
    ]?.get
    expect(list?.parameters.find(({ name }) => name === 'status')?.schema).toMatchObject({
      enum: expect.arrayContaining(['idle', 'failed']),
    })
    const page = await get('/docs')
    expect(page.body.text).toContain('/sessions/:id/approvals/:approvalId/approve')
    // Without an icon of its own a page makes the browser ask for /favicon.ico, which no server has.
    expect(page.body.text).toContain('<link rel="icon" href="data:,">')
  })

  test('/ready lists the agents and what each needs', async () => {
    const { body } = await testApp({ workspace: { target: 'test' } }).get('/ready')
    expect(body).toMatchObject({ ready: true, workspace: { target: 'test' } })
    expect((body.agents as object[])[2]).toEqual({
      name: 'keyless',
      description: 'keyless',
      available: false,
      needs: 'Set SOME_KEY.',
      triggers: { webhook: false },
    })
  })

  test('an agent that lacks something says so when called', async () => {
    const { status, body } = await testApp().post('/agents/keyless/x', { prompt: 'hi' })
    expect([status, (body.error as { message: string }).message]).toEqual([
      503,
      'The agent "keyless" is not available: Set SOME_KEY.',
    ])
  })

  test('/builds is empty until there is a build', async () => {
    expect((await testApp().get('/builds')).body).toEqual({ builds: [] })
  })

  test('[O7] /metrics counts requests by route, never by what callers send', async () => {
    const { get, post } = testApp()
    await post('/agents/scripted/some-id', scriptBody({ text: 'x' }))
    await get('/sessions/other')
    const { text } = (await get('/metrics')).body as { text: string }
    expect(text).toContain('bridle_http_requests_total{method="post",route="/agents/:name/:id",status="200"} 1')
    expect(text).toContain('bridle_http_requests_total{method="get",route="/sessions/:id",status="404"} 1')
    expect(text).toMatch(/^bridle_events_total \d+$/m)
    expect(text).not.toContain('some-id')
  })
})

test('whether there is such a session is said before what is wrong with the request', async () => {
  const { post } = testApp()
  expect((await post('/sessions/nobody/cancel', '{')).status).toBe(404)
  expect((await post('/sessions/nobody/cancel', { queue: 7 })).status).toBe(404)
})
