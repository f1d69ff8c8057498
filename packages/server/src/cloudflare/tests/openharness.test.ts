// OpenHarness in the real runtime: directives, questions with continuation tokens, a procedure, and both profiles, also when the
// session's object was evicted in between.

import { bearer, collectFrames, get, post } from '@bridle/surfaces/http/test-client.suite'
import { messageOf, script } from '@bridle/surfaces/openharness/engine.suite'
import { directivesAfter } from '@bridle/surfaces/openharness/stream-reader.suite'
import type { ActionDirective, ResponseMessage, StreamFrame } from '@bridle/wire/openharness/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evict, startTestWorker } from './test-worker.suite.ts'
import { noTools, type WorkerdProcess } from './workerd.suite.ts'

const tokens = [
  { token: 'one', tenants: ['one'] },
  { token: 'two', tenants: ['two'] },
]
/** Three sessions of two tenants; two of them have the same id. */
const sessions = [
  { tenant: 'one', id: 'a' },
  { tenant: 'two', id: 'a' },
  { tenant: 'one', id: 'b' },
] as const
type ShellSession = (typeof sessions)[number]

const chart = { action_type: 'render_ui', payload: { component: 'DataChart', data: [] } }
const paste = { action_type: 'simulate_action', risk_tier: 'dangerous', payload: { macro: 'cmd+v' } }

interface Reply {
  readonly status: number
  readonly body: ResponseMessage
}

describe.skipIf(noTools)('in workerd', () => {
  let world: WorkerdProcess
  beforeAll(async () => {
    const vars = {
      TEST_OPTIONS: JSON.stringify({ tokens }),
      BRIDLE_SECRET: 'a secret of this test, which is long enough',
    }
    world = await startTestWorker({ vars })
  })
  afterAll(() => world?.dispose())

  const send = async ({ tenant }: Pick<ShellSession, 'tenant'>, message: object) =>
    (await post(`${world.url}/v1/openharness`, message, bearer(tenant))) as unknown as Reply
  const forEachSession = <T>(act: (session: ShellSession, index: number) => Promise<T>) =>
    Promise.all(sessions.map((session, index) => act(session, index)))
  const directives = ({ body }: Reply): readonly ActionDirective[] => body.response.action_directives ?? []
  const texts = (reply: Reply) => directives(reply).map(({ action_type, payload }) => payload?.text ?? action_type)
  const tokenOf = (reply: Reply, option: 'approve' | 'deny' | 'status' = 'approve'): string => {
    const payload = directives(reply).find(({ action_type }) => action_type === 'request_approval')
      ?.payload as unknown as {
      continuation_token: string
      options: { id: string; continuation_token: string }[]
    }
    return option === 'status'
      ? payload.continuation_token
      : String(payload.options.find(({ id }) => id === option)?.continuation_token)
  }
  const goOn = (session: ShellSession, continuation_token: string, request_id: string, user_intent?: string) =>
    send(
      session,
      messageOf({ continuation: { continuation_token }, ...(user_intent && { user_intent }) }, { request_id }),
    )

  test('[CF28] [OH40] directives come in their order, and again for the same request in another life of the object', async () => {
    const ask = ({ id }: ShellSession) =>
      messageOf(
        {
          session_id: `d-${id}`,
          user_intent: script({ directive: chart }, { text: 'Here ' }, { directive: paste }, { text: 'it is.' }),
        },
        { request_id: 'r', capabilities: { 'openharness.ui.rich_cards': true } },
      )
    const first = await forEachSession((session) => send(session, ask(session)))
    for (const reply of first) expect(texts(reply)).toEqual(['render_ui', 'Here ', 'simulate_action', 'it is.'])
    await forEachSession(({ tenant, id }) => evict(world, `d-${id}`, 'scripted', tenant))
    const second = await forEachSession((session) => send(session, ask(session)))
    expect(second.map(directives)).toEqual(first.map(directives))
  })

  test('[CF28] [OH20] [OH21] a token answers its question once, also after the object was evicted, and in its tenant alone', async () => {
    const steps = [{ text: 'Before.' }, { approve: 'write' }, { text: 'Written.' }]
    const questions = await forEachSession((session) =>
      send(session, messageOf({ session_id: `q-${session.id}`, user_intent: script(...steps) }, { request_id: 'ask' })),
    )
    for (const reply of questions) expect(texts(reply)).toEqual(['Before.', 'request_approval'])
    await forEachSession(({ tenant, id }) => evict(world, `q-${id}`, 'scripted', tenant))
    const [yes, foreign, no] = questions as [Reply, Reply, Reply]
    const [first, second, third] = sessions
    // The session of the other tenant has the same id.
    const wrong = await goOn(first, tokenOf(foreign), 'x')
    expect([wrong.status, wrong.body.response.error?.code]).toEqual([400, 'invalid_request'])
    expect(texts(await goOn(first, tokenOf(yes, 'status'), 's'))).toEqual(['request_approval'])
    expect(texts(await goOn(first, tokenOf(yes), 'a'))).toEqual(['Written.'])
    expect((await goOn(third, tokenOf(no, 'deny'), 'a')).status).toBe(200)
    expect((await goOn(third, tokenOf(no), 'b')).body.response.error?.code).toBe('continuation_used')
    await evict(world, 'q-a', 'scripted', 'one')
    expect(texts(await goOn(first, tokenOf(yes), 'a'))).toEqual(['Written.'])
    const used = await goOn(first, tokenOf(yes, 'deny'), 'b')
    expect([used.status, used.body.response.error?.code]).toEqual([409, 'continuation_used'])
    expect(texts(await goOn(second, tokenOf(foreign), 'a'))).toEqual(['Written.'])
  })

  test('[CF28] [OH43] a procedure goes on with the answer to its question in another life of the object', async () => {
    const asked = await forEachSession((session) =>
      send(session, messageOf({ session_id: `p-${session.id}`, user_intent: 'go', task_hint: { sop_id: 'onboard' } })),
    )
    for (const reply of asked) expect(texts(reply).at(-1)).toBe('request_approval')
    await forEachSession(async ({ tenant, id }) => evict(world, `p-${id}`, 'onboard', tenant))
    const answers = await forEachSession((session, index) =>
      goOn(session, tokenOf(asked[index] as Reply), 'a', `user ${index}`),
    )
    expect(answers.map((reply) => String(texts(reply)[0]).trim())).toEqual([
      'Thank you, user 0.',
      'Thank you, user 1.',
      'Thank you, user 2.',
    ])
  })

  test('[CF28] [OH145] a procedure beside its line, or first in it, goes on in other lives of the object, and ends', async () => {
    const hello = script({ text: 'Hello.' })
    for (const first of ['talk', 'procedure'] as const) {
      const line = ({ id }: ShellSession) => `${first}-${id}`
      const agent = first === 'talk' ? 'scripted' : 'onboard'
      const evictLine = () => forEachSession((session) => evict(world, line(session), agent, session.tenant))
      const ask = (context: (index: number) => object, request_id: string) =>
        forEachSession((session, index) =>
          send(session, messageOf({ session_id: line(session), ...context(index) }, { request_id })),
        )
      const sessionOf = ({ body }: Reply) =>
        (body.response.extensions as { 'dev.bridle'?: { session_id: string } } | undefined)?.['dev.bridle']?.session_id
      const start = () => ask(() => ({ task_hint: { sop_id: 'onboard' } }), 'start')
      if (first === 'talk') await ask(() => ({ user_intent: hello }), 'hello')
      const started = await start()
      for (const reply of started) expect(texts(reply)).toEqual(['Welcome.', 'request_approval'])
      await evictLine()
      expect((await start()).map(directives)).toEqual(started.map(directives))
      const answers = await ask((index) => ({ user_intent: `user ${index}` }), 'answer')
      expect(answers.map(texts)).toEqual(sessions.map((_, index) => [`Thank you, user ${index}.`]))
      await evictLine()
      const after = await ask(() => ({ user_intent: hello }), 'after')
      expect(after.map(texts)).toEqual(sessions.map(() => ['Hello.']))
      await evictLine()
      expect((await ask((index) => ({ user_intent: `user ${index}` }), 'answer')).map(texts)).toEqual(
        answers.map(texts),
      )
      const suffix = { talk: ['', ':onboard'], procedure: [':scripted', ''] }[first]
      expect([after, answers].map((replies) => replies.map(sessionOf))).toEqual(
        suffix.map((end) => sessions.map((session) => `${line(session)}${end}`)),
      )
      for (const session of sessions) {
        const called = `${line(session)}${first === 'talk' ? ':onboard' : ':scripted'}`
        const card = await get(`${world.url}/sessions/${called}`, bearer(session.tenant))
        expect(card.body).toMatchObject({ parent_session_id: line(session) })
      }
    }
  })

  test('[CF28] [OH82] [OH83] text streams, the last frame is the answer without the profile, and a cut reader goes on', async () => {
    const capabilities = { 'openharness.streaming': true }
    const stream = async ({ tenant, id }: ShellSession, last?: string) => {
      const message = messageOf(
        { session_id: `s-${id}`, user_intent: script({ text: 'One two three.', chunks: 3 }, { directive: paste }) },
        { request_id: 'r', capabilities },
      )
      const headers = {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...bearer(tenant),
        ...(last !== undefined && { 'last-event-id': last }),
      }
      const response = await fetch(`${world.url}/v1/openharness`, {
        method: 'POST',
        headers,
        body: JSON.stringify(message),
      })
      expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
      const frames = await collectFrames<{ id: string; raw: string; data: StreamFrame }>(
        response,
        [],
        (seen) => seen.at(-1)?.data.type === 'final',
      )
      const plain = await send({ tenant }, message)
      return { frames, plain }
    }
    const streams = await forEachSession((session) => stream(session))
    for (const { frames, plain } of streams) {
      expect(frames.filter(({ data }) => data.type === 'partial').length).toBeGreaterThan(1)
      expect(directivesAfter(frames)).toEqual(directives(plain))
      expect(directives(plain)[0]?.payload).toEqual({ text: 'One two three.' })
      const last = frames.at(-1)?.data
      expect(last?.type === 'final' && last.message.response.action_directives).toEqual(directives(plain))
    }
    await forEachSession(async ({ tenant, id }) => evict(world, `s-${id}`, 'scripted', tenant))
    const rests = await forEachSession((session, index) => stream(session, streams[index]?.frames[0]?.id))
    for (const [index, { frames, plain }] of rests.entries()) {
      expect(frames.length).toBeLessThan(streams[index]?.frames.length ?? 0)
      const before = directivesAfter(streams[index]?.frames.slice(0, 1) ?? [])
      expect(directivesAfter(frames, before)).toEqual(directives(plain))
    }
  })

  test('[CF28] [OH91] [OH93] feedback reaches the agent in the next turn, and a wrong list is refused', async () => {
    const PROFILE = 'openharness.execution_feedback'
    const executed = { request_id: 'r', index: 0, action_type: 'render_message', outcome: 'executed', code: null }
    const report = ({ id }: ShellSession, feedback: readonly object[], request_id: string) =>
      messageOf(
        { session_id: `f-${id}`, user_intent: 'Go on.', task_hint: { plugin_id: 'listener' } },
        { request_id, capabilities: { [PROFILE]: true } },
        { extensions: { [PROFILE]: feedback } },
      )
    await forEachSession((session) => send(session, report(session, [], 'r')))
    await forEachSession(({ tenant, id }) => evict(world, `f-${id}`, 'listener', tenant))
    const replies = await forEachSession((session, index) =>
      send(session, report(session, [{ ...executed, index }], 'next')),
    )
    for (const [index, reply] of replies.entries())
      expect(JSON.parse(String(texts(reply)[0]))).toMatchObject({
        openharness: { execution_feedback: [{ ...executed, index }] },
      })
    const wrong = await send(sessions[0], report(sessions[0], [{ ...executed, outcome: 'lost' }], 'wrong'))
    expect(wrong.body.response.error?.details).toEqual({ field: `extensions.${PROFILE}.0.outcome` })
  })
})
