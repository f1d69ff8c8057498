import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, collectFrames, type SseFrame, scriptBody } from '../test-client.suite.ts'

type TestApp = ReturnType<typeof testApp>
const headers = (key: string) => ({ 'idempotency-key': key })

interface Proposed {
  readonly name: string
  readonly content: string
}

/** A turn that proposes these, in a session of its own or in one that is there; the ids, in order. */
const propose = async (it: TestApp, id: string, proposals: readonly Proposed[], more: Record<string, string> = {}) => {
  const steps = proposals.map((each) => ({ artifact: { ...each, kind: 'memory_proposal' } }))
  expect((await it.post(`/agents/scripted/${id}`, scriptBody(...steps), more)).status).toBe(200)
  const rows = (await memory(it, id, more)).proposals
  return rows
    .slice(0, proposals.length)
    .map((row) => String(row.id))
    .reverse()
}

interface MemoryPage {
  readonly memory: Record<string, unknown>[]
  readonly proposals: Record<string, unknown>[]
}
const memory = async (it: TestApp, id: string, more?: Record<string, string>): Promise<MemoryPage> =>
  (await it.get(`/sessions/${id}/memory`, more)).body as unknown as MemoryPage
const decide = (it: TestApp, id: string, proposal: string, body: unknown, more?: Record<string, string>) =>
  it.post(`/sessions/${id}/memory/${proposal}`, body, more)
const auditOf = async (it: TestApp, id: string) => (await it.get(`/sessions/${id}/audit`)).body.audit as object[]

const lesson = { name: 'lesson', content: 'Ask first.' }
const language = { name: 'language', content: 'de' }

describe('[H70] POST /sessions/:id/memory/:proposalId', () => {
  test('three sessions decide about their proposals, in another order than they were made', async () => {
    const it = testApp()
    const [one = '', two = ''] = await propose(it, 'a', [lesson, language])
    const [other = ''] = await propose(it, 'b', [{ name: 'lesson', content: 'Ask last.' }])
    const [third = ''] = await propose(it, 'c', [{ name: 'empty', content: 'null' }])
    expect(await decide(it, 'a', two, { decision: 'accept', actor: 'ann' })).toMatchObject({
      status: 200,
      body: { ok: true, proposalId: two, decision: 'accepted', key: 'language' },
    })
    expect((await decide(it, 'b', other, { decision: 'reject', reason: 'wrong' })).body).toMatchObject({
      decision: 'rejected',
    })
    expect((await decide(it, 'a', one, { decision: 'accept' })).status).toBe(200)
    expect((await decide(it, 'c', third, { decision: 'accept' })).status).toBe(200)
    expect((await memory(it, 'a')).memory).toMatchObject([
      { key: 'language', value: 'de', proposalId: two, runId: 'r-2', acceptedBy: 'ann', expiresAt: null },
      { key: 'lesson', value: 'Ask first.', proposalId: one, acceptedBy: null },
    ])
    expect(await memory(it, 'b')).toMatchObject({
      memory: [],
      proposals: [{ id: other, key: 'lesson', status: 'rejected', decisionReason: 'wrong' }],
    })
    // A text is a text, also one that reads like JSON.
    expect((await memory(it, 'c')).memory).toMatchObject([{ key: 'empty', value: 'null' }])
  })

  test('a person changes key and value, and says for how long', async () => {
    const it = testApp()
    const [one = ''] = await propose(it, 's', [lesson])
    const edits = { key: 'rule', value: ['Ask', 'first'], ttlMs: 60_000 }
    expect((await decide(it, 's', one, { decision: 'accept', ...edits })).body).toMatchObject({ key: 'rule' })
    const [entry] = (await memory(it, 's')).memory
    expect(entry).toMatchObject({ key: 'rule', value: ['Ask', 'first'] })
    expect(Date.parse(String(entry?.expiresAt)) - Date.parse(String(entry?.acceptedAt))).toBe(60_000)
    it.advance(60_000)
    expect((await memory(it, 's')).memory).toEqual([])
  })

  test('the same decision again is the same reply, and is written once; another is 409', async () => {
    const it = testApp()
    const [one = '', two = ''] = await propose(it, 's', [lesson, language])
    const first = await decide(it, 's', one, { decision: 'accept' }, headers('k'))
    for (const more of [headers('k'), headers('other'), {}])
      expect((await decide(it, 's', one, { decision: 'accept' }, more)).body).toMatchObject({
        ...first.body,
        seq: expect.any(Number),
      })
    expect((await decide(it, 's', one, { decision: 'accept', value: 'Ask first.', key: 'lesson' })).status).toBe(200)
    for (const body of [{ decision: 'reject' }, { decision: 'accept', value: 'No.' }, { decision: 'accept', key: 'k' }])
      expect(await decide(it, 's', one, body)).toMatchObject({
        status: 409,
        body: { error: { type: 'conflict', message: 'The proposal was accepted already.' } },
      })
    expect((await decide(it, 's', one, { decision: 'reject' }, headers('k'))).status).toBe(409)
    await decide(it, 's', two, { decision: 'reject' })
    expect((await decide(it, 's', two, { decision: 'accept' })).status).toBe(409)
    expect(await auditOf(it, 's')).toMatchObject([{ action: 'memory_rejected' }, { action: 'memory_accepted' }])
  })

  test('a branch has what was accepted before it, and decides about the rest by itself', async () => {
    const it = testApp()
    const [one = '', two = '', three = ''] = await propose(it, 's', [lesson, language, { name: 'x', content: 'y' }])
    await decide(it, 's', one, { decision: 'accept' })
    const { body } = await it.get('/sessions/s')
    await it.post('/sessions/s/resume', { from_event_id: body.lastEventId, session_id: 'branch' })
    expect((await decide(it, 'branch', one, { decision: 'reject' })).status).toBe(409)
    expect((await decide(it, 'branch', two, { decision: 'accept' })).status).toBe(200)
    expect((await decide(it, 's', two, { decision: 'reject' })).status).toBe(200)
    expect((await decide(it, 's', three, { decision: 'accept' })).status).toBe(200)
    const keys = async (id: string) => (await memory(it, id)).memory.map(({ key }) => key)
    expect([await keys('s'), await keys('branch')]).toEqual([
      ['lesson', 'x'],
      ['lesson', 'language'],
    ])
  })

  test('a session that has ended takes decisions', async () => {
    const it = testApp()
    const prompt = scriptBody({ artifact: { ...lesson, kind: 'memory_proposal' } }).prompt
    await it.post('/sessions', { agent: 'scripted', session_id: 'b', prompt })
    await expect.poll(async () => (await it.get('/sessions/b')).body.status).toBe('completed')
    const [row] = (await memory(it, 'b')).proposals
    expect((await decide(it, 'b', String(row?.id), { decision: 'accept' })).status).toBe(200)
    expect((await it.get('/sessions/b')).body.status).toBe('completed')
  })
})

describe('[H71] what is refused', () => {
  test.each<[string, unknown, number]>([
    ['no decision', {}, 400],
    ['another decision', { decision: 'maybe' }, 400],
    ['an empty key', { decision: 'accept', key: '' }, 400],
    ['a key of 129 characters', { decision: 'accept', key: 'k'.repeat(129) }, 400],
    ['no time at all', { decision: 'accept', ttlMs: 0 }, 400],
    ['a value that is too large', { decision: 'accept', value: 'x'.repeat(8_000) }, 400],
    ['a rejection with a value', { decision: 'reject', value: 1 }, 400],
    ['text that is no JSON', '{"decision":', 400],
  ])('%s', async (_name, body, status) => {
    const it = testApp()
    const [one = ''] = await propose(it, 's', [lesson])
    expect((await decide(it, 's', one, body)).status).toBe(status)
    expect(await auditOf(it, 's')).toEqual([])
    expect((await memory(it, 's')).proposals).toMatchObject([{ status: 'pending' }])
  })

  test('what is no proposal, and a proposal that is too large unless it comes with a shorter value', async () => {
    const it = testApp()
    const [large = '', wide = ''] = await propose(it, 's', [
      { name: 'large', content: 'x'.repeat(100_000) },
      { name: 'k'.repeat(200), content: 'y' },
    ])
    for (const id of ['art-1', 'lesson', 'run_record', '__proto__'])
      expect(await decide(it, 's', id, { decision: 'accept' })).toMatchObject({ status: 404 })
    expect(await decide(it, 's', large, { decision: 'accept' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('shorter `value`') },
    })
    expect(await decide(it, 's', wide, { decision: 'accept' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('another `key`') },
    })
    expect((await decide(it, 's', large, { decision: 'accept', value: 'x' })).status).toBe(200)
    expect((await decide(it, 's', wide, { decision: 'accept', key: 'short' })).status).toBe(200)
  })

  test('the 257th key: the memory is full, and a key that is there takes another value', async () => {
    const it = testApp()
    for (let round = 0; round < 2; round++) {
      const names = Array.from({ length: 128 }, (_, index) => ({ name: `k${round}-${index}`, content: 'v' }))
      for (const id of await propose(it, 's', names)) await decide(it, 's', id, { decision: 'accept' })
    }
    const [more = ''] = await propose(it, 's', [lesson])
    expect(await decide(it, 's', more, { decision: 'accept' })).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('256 keys') } },
    })
    expect((await decide(it, 's', more, { decision: 'accept', key: 'k1-3' })).status).toBe(200)
  })
})

describe('[H72] who may decide, and who may look', () => {
  const tokens = [
    { token: 'watch', scopes: ['observe'] as const },
    { token: 'decide', scopes: ['observe', 'approve'] as const },
    { token: 'ada', user: 'ada' },
    { token: 'bob', user: 'bob' },
    { token: 'far', tenants: ['far'] },
  ]

  test('the scope operate, the owner, the tenant; and the signature is the credential’s', async () => {
    const it = testApp({ tokens })
    const [one = ''] = await propose(it, 's', [lesson], bearer('ada'))
    const as = (token: string) => decide(it, 's', one, { decision: 'accept', actor: 'cleo' }, bearer(token))
    expect((await decide(it, 's', one, { decision: 'accept' })).status).toBe(401)
    expect((await as('watch')).status).toBe(403)
    expect((await as('decide')).body).toMatchObject({ error: { message: 'This needs the scope "operate".' } })
    for (const token of ['bob', 'far']) {
      expect(await as(token)).toMatchObject({
        status: 404,
        body: { error: 'Not found', message: 'There is no session s.' },
      })
      expect((await it.get('/sessions/s/memory', bearer(token))).status).toBe(404)
    }
    expect((await as('ada')).status).toBe(200)
    expect((await memory(it, 's', bearer('watch'))).memory).toMatchObject([{ key: 'lesson', acceptedBy: 'ada' }])
  })

  test('[H15] ?agent= picks the session of another agent', async () => {
    const it = testApp()
    const [one = ''] = await propose(it, 's', [lesson])
    await it.post('/agents/hooked/s', scriptBody({ artifact: { ...language, kind: 'memory_proposal' } }))
    expect((await it.get('/sessions/s/memory?agent=hooked')).body.proposals).toMatchObject([{ key: 'language' }])
    expect((await it.post(`/sessions/s/memory/${one}?agent=nobody`, { decision: 'accept' })).status).toBe(404)
  })
})

test('[H73] [E11] a decision is on the streams, in the channel and in the audit, with its person and reason', async () => {
  const it = testApp()
  const [one = '', two = ''] = await propose(it, 's', [lesson, language])
  await decide(it, 's', one, { decision: 'reject', actor: 'ann', reason: 'not true' })
  await decide(it, 's', two, { decision: 'accept', actor: 'ben' })
  const isLast = (type: string) => (seen: readonly SseFrame[]) =>
    seen.filter(({ data }) => data.type === type).length === 2
  const frames = async (path: string, type: string) => {
    const response = await it.app.fetch(new Request(`http://127.0.0.1${path}`))
    return (await collectFrames<SseFrame>(response, [], isLast(type)))
      .map(({ data }) => data)
      .filter((data) => data.type === type)
  }
  expect(await frames('/sessions/s/events', 'operator_action')).toMatchObject([
    { data: { action: 'memory', actor: 'ann', reason: 'not true', name: 'lesson', decision: 'rejected' } },
    { data: { action: 'memory', actor: 'ben', reason: null, name: 'language', decision: 'accepted' } },
  ])
  expect(await frames('/sessions/s/events/stream?tier=default', 'memory_decided')).toMatchObject([
    { payload: { proposal_id: one, decision: 'rejected', key: 'lesson', run_id: 'r-2', actor: 'ann' } },
    { payload: { proposal_id: two, decision: 'accepted', key: 'language', run_id: 'r-2', actor: 'ben' } },
  ])
  const { envelopes } = (await it.get('/sessions/s')).body.channel as { envelopes: { event_type: string }[] }
  expect(envelopes.find(({ event_type }) => event_type === 'memory_decided')).toMatchObject({ sender_id: 'operator' })
  expect(await auditOf(it, 's')).toMatchObject([
    { action: 'memory_accepted', actor: 'ben', summary: 'language' },
    { action: 'memory_rejected', actor: 'ann', summary: 'lesson: not true' },
  ])
})
