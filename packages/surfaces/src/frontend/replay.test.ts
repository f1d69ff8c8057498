// Replays through the route, in sessions of the scripted agent.

import { fabricClient } from '@bridle/client/index'
import { QUEUE_MAX } from '@bridle/events/limits'
import { describe, expect, test, vi } from 'vitest'
import { testApp } from '../http/test-app.suite.ts'
import { bearer, scriptBody } from '../http/test-client.suite.ts'

type TestApp = ReturnType<typeof testApp>
interface Message {
  readonly id: string
  readonly role: string
  readonly content: string
  readonly input?: unknown
}

const say = (text: string) => scriptBody({ text: `${text}!` })
const ask = async (it: TestApp, id: string, text: string, headers: Record<string, string> = {}) =>
  expect((await it.post(`/agents/scripted/${id}`, say(text), headers)).status).toBe(200)
const replay = (it: TestApp, id: string, body: object = {}, headers: Record<string, string> = {}) =>
  it.post(`/sessions/${id}/replay`, body, headers)
const messagesOf = async (it: TestApp, id: string) =>
  (await it.get(`/sessions/${id}`)).body.messages as unknown as Message[]
const answersOf = async (it: TestApp, id: string) =>
  (await messagesOf(it, id)).filter(({ role }) => role === 'assistant').map(({ content }) => content)
const settled = (it: TestApp, id: string) =>
  vi.waitFor(async () => expect((await it.get(`/sessions/${id}`)).body).toMatchObject({ queued: 0, runId: null }))

describe('[X60] POST /sessions/:id/replay', () => {
  test('three sessions of several turns are asked again in order, and stay as they are', async () => {
    const it = testApp()
    const ids = ['a', 'b', 'c']
    for (const turn of ['one', 'two', 'three']) for (const id of ids) await ask(it, id, `${id} ${turn}`)
    const before = await Promise.all(ids.map((id) => messagesOf(it, id)))
    const children = await Promise.all(ids.map(async (id) => (await replay(it, id, { title: `${id} again` })).body))
    for (const [index, id] of ids.entries()) {
      const { sessionId, prompts, parent, title } = children[index] as { sessionId: string } & Record<string, unknown>
      expect([prompts, parent, title]).toEqual([3, { agent: 'scripted', id, seq: 1 }, `${id} again`])
      await settled(it, sessionId)
      expect(await answersOf(it, sessionId)).toEqual([`${id} one!`, `${id} two!`, `${id} three!`])
      expect(await messagesOf(it, id)).toEqual(before[index])
    }
    const tree = (await it.get('/sessions/a/tree')).body as unknown as { sessions: { parent: unknown }[] }
    expect(tree.sessions.map(({ parent }) => parent)).toEqual([null, { id: 'a', seq: 1 }])
  })

  test('a replay of a replay, and one that begins with a later prompt', async () => {
    const it = testApp()
    for (const text of ['one', 'two', 'three']) await ask(it, 'a', text)
    const first = String((await replay(it, 'a')).body.sessionId)
    await settled(it, first)
    const second = String((await replay(it, first)).body.sessionId)
    await settled(it, second)
    expect(await answersOf(it, second)).toEqual(['one!', 'two!', 'three!'])
    const prompt = (await messagesOf(it, first)).filter(({ role }) => role === 'user')[1]?.id
    const { body } = await replay(it, first, { from_message: prompt })
    expect(body.prompts).toBe(2)
    await settled(it, String(body.sessionId))
    expect(await answersOf(it, String(body.sessionId))).toEqual(['one!', 'two!', 'three!'])
  })

  test('[X61] a prompt that waited begins behind the turn before it', async () => {
    const it = testApp()
    await it.post('/agents/scripted/a', scriptBody({ approve: 'write' }, { text: 'first!' }), {
      prefer: 'respond-async',
    })
    await vi.waitFor(async () => expect((await it.get('/sessions/a')).body.status).toBe('awaiting_approval'))
    await it.post('/agents/scripted/a', say('second'), { prefer: 'respond-async' })
    const { id } = ((await it.get('/sessions/a')).body.approvals as { id: string }[])[0] ?? { id: '' }
    await it.post(`/sessions/a/approvals/${id}/approve`)
    await settled(it, 'a')
    const waited = (await messagesOf(it, 'a')).filter(({ role }) => role === 'user')[1]?.id
    const { body } = await replay(it, 'a', { from_message: waited })
    expect(body.prompts).toBe(1)
    await settled(it, String(body.sessionId))
    expect(await answersOf(it, String(body.sessionId))).toEqual(['first!', 'second!'])
    // From the beginning, the call is asked about again.
    const whole = String((await replay(it, 'a')).body.sessionId)
    await vi.waitFor(async () =>
      expect((await it.get(`/sessions/${whole}`)).body).toMatchObject({ status: 'awaiting_approval', queued: 1 }),
    )
  })

  test('[X62] policy and settings change in the branch alone, and inputs go along', async () => {
    const it = testApp()
    await it.post('/chat/sessions', { agent: 'scripted', session_id: 'a', permission_mode: 'plan', think_level: 'low' })
    await it.post('/agents/scripted/a', { ...say('one'), extra: 7 })
    const change = { policy: { health: { max_cost_usd: 2 } }, settings: { permission_mode: 'normal' } }
    const { body } = await replay(it, 'a', { ...change, reason: 'cheaper', actor: 'ann' })
    const id = String(body.sessionId)
    await settled(it, id)
    expect(await it.get(`/sessions/${id}/health`)).toMatchObject({
      body: { policy: { health: { max_cost_usd: 2 } } },
    })
    expect((await it.get(`/sessions/${id}`)).body).toMatchObject({ think_level: 'low', permission_mode: 'normal' })
    expect((await it.get('/sessions/a')).body).toMatchObject({ think_level: 'low', permission_mode: 'plan' })
    expect((await messagesOf(it, id))[0]?.input).toMatchObject({ extra: 7 })
    const { audit } = (await it.get(`/sessions/${id}/audit`)).body as { audit: { action: string; actor: string }[] }
    expect(audit.map(({ action, actor }) => [action, actor])).toEqual([
      ['policy_set', 'ann'],
      ['branched', 'ann'],
    ])
  })

  test('[X63] an Idempotency-Key makes one branch, also after the session went on; another body is a conflict', async () => {
    const it = testApp()
    await ask(it, 'a', 'one')
    const key = { 'idempotency-key': 'k-1' }
    const first = (await replay(it, 'a', {}, key)).body
    await settled(it, String(first.sessionId))
    await ask(it, 'a', 'two')
    expect((await replay(it, 'a', {}, key)).body).toMatchObject({ sessionId: first.sessionId, prompts: 1 })
    expect((await replay(it, 'a', { title: 'x' }, key)).status).toBe(409)
    expect(((await it.get('/sessions/a/tree')).body.sessions as unknown[]).length).toBe(2)
    const other = await replay(it, 'a', {}, { 'idempotency-key': 'k-2' })
    expect([other.body.sessionId === first.sessionId, other.body.prompts]).toEqual([false, 2])
  })

  test.each<[string, object, RegExp]>([
    ['an answer', { from_message: 'm-4' }, /not the prompt of a turn/],
    ['an unknown message', { from_message: 'm-999' }, /not the prompt of a turn/],
    ['a cursor', { from_message: 'turn:a:4' }, /not the prompt of a turn/],
    ['a model of an agent that has none', { model: 'acme/large' }, /has no model that a session could choose/],
    ['an empty model', { model: ' ' }, /model/],
    ['a misspelt setting', { settings: { thinklevel: 'x' } }, /Did you mean "think_level"/],
    [
      'a setting that lets an engine act without approval',
      { settings: { permission_mode: 'bypass' } },
      /permission_mode/,
    ],
    ['a misspelt budget', { policy: { health: { max_cost: 1 } } }, /max_cost/],
  ])('[X64] %s is 400, and nothing is made', async (_name, body, message) => {
    const it = testApp()
    await ask(it, 'a', 'one')
    const answer = await replay(it, 'a', body)
    expect([answer.status, JSON.stringify(answer.body).replaceAll('\\"', '"')]).toEqual([
      400,
      expect.stringMatching(message),
    ])
    expect(((await it.get('/sessions/a/tree')).body.sessions as unknown[]).length).toBe(1)
  })

  test('[X64] nothing to ask, too much to ask, a session that is another’s, or gone', async () => {
    const it = testApp({
      tokens: [
        { token: 'ann', scopes: ['observe', 'operate'], user: 'ann' },
        { token: 'bob', scopes: ['observe', 'operate'], user: 'bob' },
        { token: 'reader', scopes: ['observe'] },
      ],
    })
    await it.post('/chat/sessions', { agent: 'scripted', session_id: 'empty' }, bearer('ann'))
    expect((await replay(it, 'empty', {}, bearer('ann'))).status).toBe(400)
    await ask(it, 'anns', 'one', bearer('ann'))
    expect((await replay(it, 'anns', {}, bearer('bob'))).status).toBe(404)
    expect((await replay(it, 'anns', {}, bearer('reader'))).status).toBe(403)
    expect((await replay(it, 'anns', {}, { ...bearer('ann'), 'x-fabric-tenant': 'other' })).status).toBe(404)
    const child = String((await replay(it, 'anns', {}, bearer('ann'))).body.sessionId)
    expect((await it.get(`/sessions/${child}`, bearer('bob'))).status).toBe(404)
    // The parent is gone, and its branch can be asked again.
    await vi.waitFor(async () =>
      expect((await it.get(`/sessions/${child}`, bearer('ann'))).body).toMatchObject({ runId: null }),
    )
    await it.ask('DELETE', '/agents/scripted/anns', undefined, bearer('ann'))
    expect((await replay(it, 'anns', {}, bearer('ann'))).status).toBe(404)
    expect((await replay(it, child, {}, bearer('ann'))).status).toBe(201)
    for (let turn = 0; turn <= QUEUE_MAX; turn++) await ask(it, 'long', `${turn}`, bearer('ann'))
    const long = await replay(it, 'long', {}, bearer('ann'))
    expect([long.status, JSON.stringify(long.body)]).toEqual([400, expect.stringContaining('from_message')])
  })

  test('the client asks for it', async () => {
    const it = testApp()
    await ask(it, 'a', 'one')
    const client = fabricClient({
      url: 'http://127.0.0.1',
      fetch: async (url, init) => it.app.fetch(new Request(url, init)),
    })
    const { id, prompts } = await client.replay('a', { title: 'Again', reason: 'try', idempotencyKey: 'k' })
    await settled(it, id)
    expect([prompts, (await client.session(id)).title]).toEqual([1, 'Again'])
  })
})
