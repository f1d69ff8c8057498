// Exports and imports between two servers, without sockets.
import { createHash } from 'node:crypto'
import type { ReportItem } from '@bridle/kernel/commands'
import type { Runner } from '@bridle/kernel/ports/runner'
import type { ImportReceipt } from '@bridle/wire/http/wire'
import type { LogEntry } from '@bridle/wire/log-entry'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { scriptBody } from '../test-client.suite.ts'

const secret = `sk-${'ant-0123456789abcdef0123'}`
const fact = (type: string, payload: object): ReportItem =>
  ({ type: 'event', event: { type, payload } }) as unknown as ReportItem

/** A durable run with facts that no file may show; it waits for a signal, and fails once where its prompt says so. */
const durable: Runner = {
  start: async (_job, reporter) => {
    await reporter.report([{ type: 'started', durable: true, handle: { url: 'http://CANARY' } }])
    await reporter.report([
      fact('token', { text: 'shown' }),
      fact('model_step', { step: 1, model: 'm', content: [{ type: 'text', text: 'CANARY' }], finish: 'stop' }),
      fact('memory_set', { key: 'k', value: 'CANARY', expires_at: null }),
    ])
    await reporter.report([{ type: 'waiting', until: null, seen: reporter.session.job()?.course?.head ?? 0 }])
    return 'waiting'
  },
  attach: async (_job, reporter) => {
    await reporter.report([{ type: 'resumed' }, fact('step_done', { name: 'one', result: 'CANARY' })])
    await reporter.report([{ type: 'finished', result: 'done' }])
    return 'done'
  },
  abort: async () => null,
  answer: async () => {},
}

const server = () => {
  const it = testApp({}, { durable })
  const file = async (path: string) => String((await it.get(path)).body.text)
  const load = (text: string, query = '', headers: Record<string, string> = {}) =>
    it.post(`/import${query}`, text, headers)
  const receipt = async (text: string, query = '') => (await load(text, query)).body as unknown as ImportReceipt
  const ids = async () =>
    ((await it.get('/sessions?archived=all&limit=100')).body.sessions as { id: string }[]).map(({ id }) => id).sort()
  return { ...it, file, load, receipt, ids }
}

const here = server()
const head = async (id: string) => Number(String((await here.get(`/sessions/${id}`)).body.lastEventId).slice(3))
const branch = async (from: string, seq: number, id: string) =>
  expect(
    (await here.post(`/chat/sessions/${from}/branch`, { from_event_id: `ev-${seq}`, session_id: id })).status,
  ).toBe(201)

beforeAll(async () => {
  // Three sessions, interleaved; each with a call that somebody approves, and an artifact.
  const rounds = ['a', 'x', 'y'].map(async (id) => {
    const steps = scriptBody(
      { tool: 'read', id: 'c1', args: { token: 'hush' }, result: { text: secret } },
      { approve: 'write', id: 'c2', args: { path: '/a' } },
      { artifact: { name: 'a.txt', content: `CONTENT of ${id}` } },
      { checkpoint: 'half' },
      { text: `first of ${id}` },
    )
    const answer = here.post(`/agents/scripted/${id}`, steps)
    const session = await here.host.open({ tenant: 'default', agent: 'scripted', id })
    await vi.waitFor(() => expect(Object.keys(session.state.approvals.open)).toHaveLength(1))
    const [approval] = Object.keys(session.state.approvals.open)
    await here.post(`/sessions/${id}/approvals/${approval}/approve`, { actor: 'ann', args: { path: '/b' } })
    await answer
  })
  await Promise.all(rounds)
  const middle = await head('a')
  here.advance(1_000)
  await here.post('/agents/scripted/a', scriptBody({ text: 'second of a' }))
  await branch('a', middle, 'b')
  await here.post('/agents/scripted/b', scriptBody({ text: 'second of b' }))
  await branch('b', await head('b'), 'c')
  await branch('a', middle - 3, 'in-a-turn')
  await here.post('/agents/scripted/c', scriptBody({ text: 'third of c' }))
  // A durable run, and work that is tried again.
  await here.post('/agents/durable/d', { prompt: 'go' }, { prefer: 'respond-async' })
  await vi.waitFor(async () => {
    const session = await here.host.open({ tenant: 'default', agent: 'durable', id: 'd' })
    expect(session.state.course.wait).not.toBeNull()
  })
  await here.post('/sessions/d/signal', { name: 'go' })
  await here.post('/sessions', {
    ...{ engine: 'scripted', session_id: 'work', max_retries: 1 },
    prompt: scriptBody({ text: 'try' }, { fail: 'busy', transient: true }).prompt,
  })
  await vi.waitFor(async () => {
    expect((await here.get('/sessions/d')).body.status).toBe('idle')
    expect(['failed', 'recovering']).toContain((await here.get('/sessions/work')).body.status)
  })
})

describe('[X6] [X7] export, import and export again', () => {
  test.each([
    ['/sessions/a/export', 4],
    ['/sessions/a/export?branches=none', 1],
    ['/sessions/b/export', 3],
    ['/sessions/c/export?branches=none', 3],
    ['/sessions/d/export', 1],
    ['/sessions/work/export', 1],
    ['/export', 8],
    ['/export?parent=b', 3],
  ])('%s gives the same bytes', async (path, sessions) => {
    const there = server()
    const text = await here.file(path)
    expect(await here.file(path)).toBe(text)
    expect(text.trimEnd().split('\n').at(-1)).toContain(`"sessions":${sessions}`)
    const { status, body } = await there.load(text)
    expect([status, body.error]).toEqual([200, undefined])
    expect((body as unknown as ImportReceipt).sessions).toHaveLength(sessions)
    expect(await there.file(path)).toBe(text)
    for (const word of ['CANARY', secret, 'hush']) expect(text).not.toContain(word)
  })

  test('the last line has the digest of the lines before it', async () => {
    const text = await here.file('/sessions/a/export')
    const lines = text.trimEnd().split('\n')
    const before = `${lines.slice(0, -1).join('\n')}\n`
    const digest = createHash('sha256').update(before).digest('hex')
    expect(JSON.parse(lines.at(-1) ?? '').end.digest).toBe(`sha256:${digest}`)
    expect(lines[0]).toBe('{"bridle":"export","version":1,"created_by":"bridle"}')
  })

  test('[X8] a session that was imported and then used is exported with both', async () => {
    const there = server()
    await there.load(await here.file('/sessions/a/export'))
    await there.post('/agents/scripted/b', scriptBody({ text: 'more of b' }))
    const text = await there.file('/sessions/a/export')
    expect(text).toContain('session_imported')
    expect(text).toContain('more of b')
    const third = server()
    expect((await third.load(text)).status).toBe(200)
    expect(await third.file('/sessions/a/export')).toBe(text)
  })
})

describe('[X15] an imported session', () => {
  test('reads as the one that was exported, with its lineage, artifacts and approvals', async () => {
    const there = server()
    await there.load(await here.file('/export'))
    for (const id of ['a', 'b', 'c', 'x', 'y', 'd']) {
      const [mine, theirs] = await Promise.all([here.get(`/sessions/${id}`), there.get(`/sessions/${id}`)])
      expect(theirs.body.messages).toEqual(
        JSON.parse(JSON.stringify(mine.body.messages).replaceAll(secret, '[removed]').replaceAll('hush', '[removed]')),
      )
      expect(theirs.body.status).toBe(mine.body.status)
    }
    expect((await there.get('/sessions/x/artifacts/a.txt')).body.text).toBe('CONTENT of x')
    const { sessions } = (await there.get('/sessions/c/tree')).body as { sessions: { id: string; parent: object }[] }
    expect(sessions.map(({ id }) => id)).toEqual(['a', 'in-a-turn', 'b', 'c'])
    await there.post('/agents/scripted/c', scriptBody({ text: 'on it goes' }))
    expect(JSON.stringify((await there.get('/sessions/c')).body.messages)).toContain('on it goes')
  })

  test('that was at work has ended, and starts nothing', async () => {
    const busy = server()
    for (const [id, steps] of Object.entries({
      s1: { sleepMs: 600_000 },
      s2: { approve: 'write' },
      s3: { sleepMs: 600_000 },
    })) {
      await busy.post('/sessions', { engine: 'scripted', session_id: id, prompt: scriptBody(steps).prompt })
      await busy.post('/agents/scripted/chat', scriptBody({ sleepMs: 600_000 }), { prefer: 'respond-async' })
    }
    await vi.waitFor(async () => {
      expect((await busy.get('/sessions/s2')).body.status).toBe('awaiting_approval')
      for (const id of ['s1', 's3', 'chat']) expect((await busy.get(`/sessions/${id}`)).body.status).toBe('running')
    })
    const there = server()
    const text = await busy.file('/export')
    expect((await there.load(text)).status).toBe(200)
    for (const id of ['s1', 's2', 's3']) expect((await there.get(`/sessions/${id}`)).body.status).toBe('cancelled')
    expect((await there.get('/sessions/chat')).body.status).toBe('idle')
    expect((await there.get('/approvals')).body).toEqual({ approvals: [] })
    expect(there.host.counts().running).toBe(0)
    expect(there.host.runningCount).toBe(0)
    expect(await there.file('/export')).toBe(text)
  })
})

describe('[X13] ids', () => {
  test('the same file twice changes nothing', async () => {
    const there = server()
    const text = await here.file('/sessions/a/export')
    await there.load(text)
    const again = await there.receipt(text)
    expect(again.sessions.map(({ existing }) => existing)).toEqual([true, true, true, true])
    expect(await there.file('/sessions/a/export')).toBe(text)
  })

  test('[X16] another session of the id is kept, and rename gives the new ones other ids', async () => {
    const there = server()
    await there.post('/agents/scripted/a', scriptBody({ text: 'mine' }))
    const text = await here.file('/sessions/b/export')
    const refused = await there.load(text)
    expect([refused.status, refused.body.error]).toEqual([
      409,
      { type: 'conflict', message: expect.stringMatching(/^Line 2: .*rename=1/) },
    ])
    expect(await there.ids()).toEqual(['a'])
    expect((await there.receipt(text, '?rename=1')).sessions).toEqual([
      { id: 'a-2', agent: 'scripted', events: expect.any(Number), renamed_from: 'a' },
      { id: 'b', agent: 'scripted', events: expect.any(Number) },
      { id: 'c', agent: 'scripted', events: expect.any(Number) },
    ])
    const { sessions } = (await there.get('/sessions/c/tree')).body as { sessions: { id: string }[] }
    expect(sessions.map(({ id }) => id)).toEqual(['a-2', 'b', 'c'])
  })

  test('[X16] the id of a removed session is refused before anything is written, and rename gives another id', async () => {
    const there = server()
    await there.post('/agents/scripted/x', scriptBody({ text: 'removed later' }))
    await there.app.fetch(new Request('http://127.0.0.1/agents/scripted/x', { method: 'DELETE' }))
    const text = await here.file('/export')
    for (const query of ['', '?check=1']) {
      const { status, body } = await there.load(text, query)
      expect([status, body.error]).toEqual([
        409,
        { type: 'conflict', message: expect.stringMatching(/^Line \d+: .*"x".*rename=1/) },
      ])
      expect(await there.ids()).toEqual([])
    }
    const { sessions } = await there.receipt(text, '?rename=1')
    expect(sessions.filter((each) => each.renamed_from)).toEqual([
      { id: 'x-2', agent: 'scripted', events: expect.any(Number), renamed_from: 'x' },
    ])
    expect(await there.ids()).toEqual(sessions.map(({ id }) => id).sort())
  })

  test('[X8] a branch that leaves before its parent did is imported with it', async () => {
    const busy = server()
    await busy.post('/agents/scripted/a', scriptBody({ text: 'one' }))
    const early = String((await busy.get('/sessions/a')).body.lastEventId)
    await busy.post('/agents/scripted/a', scriptBody({ text: 'two' }))
    const late = String((await busy.get('/sessions/a')).body.lastEventId)
    await busy.post('/chat/sessions/a/branch', { from_event_id: late, session_id: 'b' })
    await busy.post('/agents/scripted/b', scriptBody({ text: 'three' }))
    const made = await busy.post('/chat/sessions/b/branch', { from_event_id: early, session_id: 'c' })
    expect(made.status).toBe(201)
    await busy.post('/agents/scripted/c', scriptBody({ text: 'four' }))
    const text = await busy.file('/sessions/a/export')
    const there = server()
    expect((await there.receipt(text)).sessions).toHaveLength(3)
    expect(await there.file('/sessions/a/export')).toBe(text)
  })

  test('check=1 says what would become of a file, and writes nothing', async () => {
    const there = server()
    expect((await there.receipt(await here.file('/export'), '?check=1')).sessions).toHaveLength(8)
    expect(await there.ids()).toEqual([])
  })
})

test('[X9] a filter that finds nothing makes a file without sessions, which nobody can import', async () => {
  const text = await here.file('/export?search=nothing-like-it')
  expect(text.trimEnd().split('\n')).toHaveLength(2)
  expect((await server().load(text)).body.error).toContain('no session')
})

test('[X19] a branch in the middle of an imported turn, whose facts stayed behind, asks it again from its beginning', async () => {
  const there = server()
  await there.load(await here.file('/sessions/d/export'))
  const continuedRuns = async (app: ReturnType<typeof server>, seq: number) => {
    const { prompts_digest } = (await app.get('/sessions/d')).body
    const from = { from_event_id: `ev-${seq}`, workspace: { mode: 'none' }, prompts_digest }
    const { body } = await app.post('/sessions/d/resume', from)
    const page = (await app.get(`/sessions/${body.session_id}/log?after=${seq}`)).body
    const queued = (page.entries as LogEntry[]).find(({ type }) => type === 'prompt_queued')
    return [queued?.payload.text, queued?.payload.continues_run]
  }
  const { entries } = (await here.get('/sessions/d/log')).body as { entries: LogEntry[] }
  const seqOf = (wanted: string) => entries.find(({ type }) => type === wanted)?.seq ?? 0
  const run = entries.find(({ type }) => type === 'turn_start')?.payload.turn_id
  for (const type of ['model_step', 'run_waiting', 'step_done']) {
    expect(await continuedRuns(here, seqOf(type))).toEqual(['go', run])
    expect(await continuedRuns(there, seqOf(type))).toEqual(['go', undefined])
  }
  // Nothing stayed behind before the first fact.
  expect(await continuedRuns(there, seqOf('token'))).toEqual(['go', run])
})

test('[H24] an imported artifact whose text lost a secret is read to its end', async () => {
  const [from, to] = [server(), server()]
  const key = `${'ghp_'}${'a1B2c3D4e5F6g7H8i9J0'.repeat(2)}`
  await from.post('/agents/scripted/s', scriptBody({ artifact: { name: 'n.txt', content: `key ${key} and the end` } }))
  await to.receipt(await from.file('/sessions/s/export'))
  const read = async (it: typeof to, headers: Record<string, string> = {}) => {
    const url = 'http://127.0.0.1/sessions/s/artifacts/n.txt'
    const response = await it.app.fetch(new Request(url, { headers }))
    return [response.status, response.headers.get('content-length'), await response.text()]
  }
  expect(await read(from)).toEqual([200, '60', `key ${key} and the end`])
  expect(await read(to)).toEqual([200, null, 'key [removed] and the end'])
  expect(await read(to, { range: 'bytes=40-50' })).toEqual([200, null, 'key [removed] and the end'])
  expect(await from.file('/sessions/s/export')).toBe(await to.file('/sessions/s/export'))
})
