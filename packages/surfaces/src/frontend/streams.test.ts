import { reduceFrontend } from '@bridle/client/frontend/reducer'
import { emptyFrontendState } from '@bridle/client/frontend/state'
import { catalogue, EVENT_TYPES, STREAM_EVENT_TYPES } from '@bridle/events/catalogue'
import type { AnyEvent } from '@bridle/kernel/event'
import { streamEnvelope } from '@bridle/wire/frontend/envelope'
import { describe, expect, test } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { envelopeTypes, hasType, isStatus, readEnvelopes, scriptPrompt, startedSession } from './frontend.suite.ts'

const key = { tenant: 'default', agent: 'scripted', id: 's1' }
const event = (type: string, more: object = {}): AnyEvent =>
  ({ seq: 7, at: 0, type, payload: { any: 1 }, ...more }) as unknown as AnyEvent

describe('[F1] envelopes', () => {
  test('have type, payload, seq, session_id and timestamp', () => {
    expect(streamEnvelope(key, event('token', { run: 'r-2', attempt: 1 }), 'default')).toEqual({
      type: 'token',
      payload: { any: 1 },
      seq: 7,
      session_id: 's1',
      timestamp: '1970-01-01T00:00:00.000Z',
      turn_id: 'r-2',
      attempt: 1,
    })
  })

  test.each(EVENT_TYPES)('[E9] %s is shown to its tiers alone', (type) => {
    const { tier, wire } = catalogue[type]
    expect(streamEnvelope(key, event(type), 'default') !== null).toBe(wire !== 'internal' && tier === 'default')
    expect(streamEnvelope(key, event(type), 'debug') !== null).toBe(wire !== 'internal')
  })

  test('a type of a newer writer passes, for debug', () => {
    expect(streamEnvelope(key, event('from_the_future'), 'debug')).toMatchObject({ type: 'from_the_future' })
    expect(streamEnvelope(key, event('from_the_future'), 'default')).toBeNull()
  })

  test('what an engine says in the name of the session is marked', () => {
    expect(streamEnvelope(key, event('turn_end', { hearsay: true }), 'default')).toMatchObject({ hearsay: true })
  })
})

test('[E12] an agent’s own event goes by its own name, and a forged name of ours goes nowhere', async () => {
  const it = testApp()
  const own = (name: string) => ({ event: { type: 'custom_event', payload: { name, data: { of: name } } } })
  const names = ['my_event', 'turn_end', 'session', 'shop.order']
  const id = await startedSession(it, { prompt: scriptPrompt(...names.map(own), { text: 'x' }) }, isStatus('completed'))
  for (const tier of ['default', 'debug']) {
    const frames = await readEnvelopes(it, `/sessions/${id}/events/stream?tier=${tier}`, hasType('turn_end'))
    const custom = frames.filter(({ data }) => data.custom)
    expect(custom.map(({ data }) => [data.type, data.payload])).toEqual([
      ['my_event', { of: 'my_event' }],
      ['shop.order', { of: 'shop.order' }],
    ])
    const state = frames.reduce((folded, { data }) => reduceFrontend(folded, data as never), emptyFrontendState)
    expect(state.turns).toMatchObject([{ status: 'completed', text: 'x' }])
  }
  const { events } = (await it.get(`/agents/scripted/${id}`)).body as { events: { type: string; data: unknown }[] }
  expect(events.filter(({ type }) => type === 'custom').map(({ data }) => data)).toEqual([
    { name: 'my_event', data: { of: 'my_event' } },
    { name: 'shop.order', data: { of: 'shop.order' } },
  ])
})

test('[F2] /stream-events is the catalogue, without what is internal', async () => {
  const { status, body } = await testApp().get('/stream-events')
  expect(status).toBe(200)
  expect(body.types).toEqual(STREAM_EVENT_TYPES)
  expect(body.types).toHaveLength(51)
  expect((body.events as object[])[6]).toEqual({
    type: 'transport_diagnostic',
    tier: 'debug',
    persisted: true,
    source: 'runner',
    role: 'provider fallback / degraded-runtime diagnostics',
  })
})

describe.each(['/chat/sessions', '/sessions'])('%s/{id}/events/stream', (base) => {
  const chatted = async () => {
    const it = testApp()
    const id = await startedSession(
      it,
      { prompt: scriptPrompt({ text: 'Hi there', chunks: 2 }) },
      isStatus('completed'),
    )
    return { it, path: `${base}/${id}/events/stream`, id }
  }

  test('[F3] greets first, then tells the log in order; ids are its numbers', async () => {
    const { it, path, id } = await chatted()
    const frames = await readEnvelopes(it, path, hasType('turn_end'))
    expect(frames[0]).toMatchObject({
      id: null,
      data: { type: 'session', seq: 0, session_id: id, payload: { session_id: id, agent: 'scripted', tier: 'debug' } },
    })
    const isOurs = (type: string) => type === 'artifact_published'
    expect(envelopeTypes(frames.slice(1)).filter((type) => !isOurs(type))).toEqual([
      'turn_start',
      'session_state',
      'policy_decision',
      'sandbox_notice',
      'token',
      'token',
      'response',
      'session_checkpoint',
      'completed',
      'turn_end',
    ])
    const seqs = frames.slice(1).map(({ id: seq }) => Number(seq))
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
    expect(seqs).toEqual(frames.slice(1).map(({ data }) => data.seq))
  })

  test.each([
    ['Last-Event-ID', (_: string, seq: number) => ['', { 'last-event-id': String(seq) }] as const],
    ['?after', (_: string, seq: number) => [`?after=ev-${seq}`, {}] as const],
    ['?resume_cursor', (id: string, seq: number) => [`?resume_cursor=turn:${id}:${seq}`, {}] as const],
  ])('[F4] resumes by %s: the rest, byte for byte', async (_name, ask) => {
    const { it, path, id } = await chatted()
    const isOver = hasType('turn_end')
    const all = await readEnvelopes(it, path, isOver)
    for (const cut of [1, 4, 8]) {
      const [query, headers] = ask(id, all[cut]!.data.seq)
      const rest = await readEnvelopes(it, `${path}${query}`, isOver, { headers })
      expect(rest[0]?.data).toMatchObject({ type: 'session', seq: all[cut]!.data.seq })
      expect(rest.slice(1).map(({ raw }) => raw)).toEqual(all.slice(cut + 1).map(({ raw }) => raw))
    }
  })

  test('[F4] a cursor beyond the log is told to begin again', async () => {
    const { it, path } = await chatted()
    const frames = await readEnvelopes(it, `${path}?after=999`, hasType('turn_end'))
    expect(frames[0]?.data).toMatchObject({ seq: 0, payload: { reset: true } })
    expect(envelopeTypes(frames.slice(1, 3))).toEqual(['turn_start', 'session_state'])
  })

  test('[F5] ?tier=default leaves the diagnostics out; ?replay=N sends the last N of what it shows', async () => {
    const { it, path } = await chatted()
    const frames = await readEnvelopes(it, `${path}?tier=default`, hasType('turn_end'))
    expect(envelopeTypes(frames)).toEqual([
      'session',
      'session_state',
      'token',
      'token',
      'response',
      'session_checkpoint',
      'completed',
      'turn_end',
    ])
    const two = await readEnvelopes(it, `${path}?tier=default&replay=3`, hasType('session_state'))
    expect(envelopeTypes(two)).toEqual(['session', 'completed', 'turn_end', 'session_state'])
  })

  test.each(['?tier=all', '?after=soon', '?resume_cursor=nonsense', '?resume_cursor=turn:other:3', '?replay=-1'])(
    '[F4] %s is a bad request',
    async (query) => {
      const { it, path } = await chatted()
      expect((await it.get(`${path}${query}`)).status).toBe(400)
    },
  )

  test('[F6] an unknown session, or another tenant’s, is not found', async () => {
    const { it, path } = await chatted()
    expect((await it.get(`${base}/nobody/events/stream`)).status).toBe(404)
    expect((await it.get(path, { 'x-fabric-tenant': 'other' })).status).toBe(404)
  })
})

describe('[F51] types that a reader leaves out', () => {
  const own = { event: { type: 'custom_event', payload: { name: 'shop.order', data: {} } } }
  const script = scriptPrompt({ thinking: 'hm' }, { text: 'Hello there', chunks: 3 }, own, { approve: 'go', id: 'c' })
  const read = (it: ReturnType<typeof testApp>, id: string, query: string, headers = {}) =>
    readEnvelopes(it, `/sessions/${id}/events/stream?${query}`, hasType('turn_end'), { headers })

  test('are not sent, from the log and live; everything else is, byte for byte', async () => {
    const it = testApp()
    const ids = [
      await startedSession(it, { prompt: script }, isStatus('awaiting_approval')),
      await startedSession(it, { prompt: script }, isStatus('awaiting_approval')),
    ]
    for (const id of ids) {
      const [brief, other, whole] = ['omit=token,thinking', 'omit=%20thinking,token,,token', 'tier=debug'].map(
        (query) => read(it, id, query),
      )
      const { approval_request_id } = (await it.get(`/sessions/${id}`)).body
      await it.post(`/sessions/${id}/approvals/${approval_request_id}/approve`)
      const wanted = (await whole!).filter(({ data }) => data.type !== 'token' && data.type !== 'thinking')
      expect((await whole!).length).toBeGreaterThan(wanted.length)
      expect((await brief!).map(({ raw }) => raw)).toEqual(wanted.map(({ raw }) => raw))
      expect((await other!).map(({ raw }) => raw)).toEqual(wanted.map(({ raw }) => raw))
      const resumed = await read(it, id, 'omit=token,thinking', { 'last-event-id': wanted.at(-4)?.id ?? '' })
      expect(resumed.slice(1).map(({ raw }) => raw)).toEqual(wanted.slice(-3).map(({ raw }) => raw))
    }
  })

  test('are an agent’s own, too; the last N are counted without them', async () => {
    const it = testApp()
    const steps = [own, { text: 'abc', chunks: 3 }]
    const id = await startedSession(it, { prompt: scriptPrompt(...steps) }, isStatus('completed'))
    expect(envelopeTypes(await read(it, id, 'omit=custom_event'))).not.toContain('shop.order')
    expect(envelopeTypes(await read(it, id, 'omit=shop.order'))).not.toContain('shop.order')
    const types = envelopeTypes(await read(it, id, 'tier=default&omit=token'))
    // A `session_state` stands behind the end of the turn, and counts.
    const count = types.length - types.indexOf('shop.order') + 1
    const last = await read(it, id, `tier=default&omit=token&replay=${count}`)
    expect(envelopeTypes(last)).toEqual(['session', ...types.slice(types.indexOf('shop.order'))])
    expect((await it.get(`/sessions/${id}/events/stream?omit=${'x'.repeat(3_000)}`)).status).toBe(400)
  })
})
