// Several agents on the line of a shell: a hint calls one of them, and the line stays the shell's.
import { expect, test } from 'vitest'
import { bearer } from '../http/test-client.suite.ts'
import { type EngineReply, messageOf, script, summaryOf, testEngine } from './engine.suite.ts'
import { brief, greet, onboard, payment } from './procedure.suite.ts'

const procedures = { onboard, pay: payment, greet }
const sop = (sop_id: string) => ({ task_hint: { sop_id } })
const hello = script({ text: 'Hello.' })
const texts = ({ body }: EngineReply) =>
  (body.response.action_directives ?? []).map(({ action_type, payload }) => payload?.text ?? action_type)
const sessionOf = ({ headers }: EngineReply) => headers.get('x-bridle-session')
const tokenOf = ({ body }: EngineReply, option: 'approve' | 'deny' = 'approve') => {
  const question = body.response.action_directives?.find(({ action_type }) => action_type === 'request_approval')
  const { options = [] } = (question?.payload ?? {}) as unknown as {
    options?: { id: string; continuation_token: string }[]
  }
  return options.find(({ id }) => id === option)?.continuation_token ?? ''
}

/** A shell of one user: everything goes to one line. */
const shellOf = (engine: ReturnType<typeof testEngine>, line: object, headers = {}) => {
  let count = 0
  return (context: object, request_id = `r${++count}`) =>
    engine.send(messageOf({ ...line, ...context }, { request_id }), headers)
}
const lines = [
  { session_id: 's1' },
  { session_id: 's1', conversation_id: 'tab' },
  { session_id: 's2', conversation_id: 'onboard' },
  { session_id: 'Zeile № 1' },
  { session_id: 'x'.repeat(128) },
]

test.each(lines)(
  '[OH145] [N78] a procedure runs beside the line %o, and gives it back when it has ended',
  async (line) => {
    const engine = testEngine({}, procedures)
    const ask = shellOf(engine, line)
    const first = await ask({ user_intent: hello })
    for (const name of ['Ann', 'Bob']) {
      const asked = await ask({ user_intent: 'Start.', ...sop('onboard') })
      expect(texts(asked)).toEqual(['Welcome.', 'request_approval'])
      // The hint comes again, with nothing to say: the procedure is where it was.
      expect(texts(await ask(sop('onboard')))).toEqual(['Welcome.', 'request_approval'])
      expect(sessionOf(asked)).not.toBe(sessionOf(first))
      const { body } = await engine.get(`/sessions/${sessionOf(asked)}`)
      expect(body).toMatchObject({ agent: 'onboard', parent_session_id: sessionOf(first) })
      const answered = await ask({ user_intent: name })
      expect([summaryOf(answered), sessionOf(answered)]).toEqual([[200, [`Thank you, ${name}.`]], sessionOf(asked)])
      const after = await ask({ user_intent: hello })
      expect([summaryOf(after), sessionOf(after)]).toEqual([[200, ['Hello.']], sessionOf(first)])
    }
  },
)

test.each(lines)('[OH145] so does one that was the first thing in the line %o', async (line) => {
  const engine = testEngine({}, procedures)
  const ask = shellOf(engine, line)
  const asked = await ask({ user_intent: 'Start.', ...sop('onboard') })
  expect(summaryOf(await ask({ user_intent: 'Ann' }))).toEqual([200, ['Thank you, Ann.']])
  const after = [await ask({ user_intent: hello }), await ask({ user_intent: hello })]
  expect(after.map(summaryOf)).toEqual(Array(2).fill([200, ['Hello.']]))
  expect(sessionOf(after[0] as EngineReply)).toBe(sessionOf(after[1] as EngineReply))
  const { body } = await engine.get(`/sessions/${sessionOf(after[0] as EngineReply)}`)
  expect(body).toMatchObject({ agent: 'scripted', parent_session_id: sessionOf(asked), messages: { length: 4 } })
  expect(sessionOf(await ask({ user_intent: 'Again.', ...sop('onboard') }))).toBe(sessionOf(asked))
})

test('[OH145] an agent that a plugin_id names keeps its own conversation beside the line', async () => {
  const engine = testEngine()
  const ask = shellOf(engine, { session_id: 's' })
  const plugin = { task_hint: { plugin_id: 'hooked' } }
  await ask({ user_intent: hello })
  const replies = [await ask({ user_intent: hello, ...plugin }), await ask({ user_intent: hello, ...plugin })]
  expect(replies.map(sessionOf)).toEqual(['s:hooked', 's:hooked'])
  expect(sessionOf(await ask({ user_intent: hello }))).toBe('s')
  const { body } = await engine.get('/sessions/s:hooked')
  expect(body).toMatchObject({ agent: 'hooked', parent_session_id: 's', messages: { length: 4 } })
  // The line shows the other session, and that its turn has ended.
  const linked = async () => (await engine.get('/sessions/s')).body.subagents
  await expect.poll(linked).toMatchObject([{ session_id: 's:hooked', agent: 'hooked', status: 'completed' }])
  expect((await engine.get('/sessions?parent=s')).body.sessions).toMatchObject([{ session_id: 's:hooked' }])
})

test('[OH145] three users of one engine, their lines interleaved, never meet', async () => {
  const users = ['ann', 'bob', 'cid']
  const tokens = users.map((user) => ({
    token: user,
    user,
    scopes: ['operate' as const, 'observe' as const, 'approve' as const],
  }))
  const engine = testEngine({ tokens }, procedures)
  const shells = users.map((user) => shellOf(engine, { session_id: `user:${user}` }, bearer(user)))
  const all = (context: (user: string) => object) =>
    Promise.all(shells.map((ask, index) => ask(context(users[index] as string))))
  await all(() => ({ user_intent: hello }))
  const asked = await all(() => ({ user_intent: 'go', ...sop('onboard') }))
  const questions = await all(() => ({ user_intent: 'go', ...sop('pay') }))
  expect(new Set([...asked, ...questions].map(sessionOf)).size).toBe(6)
  const answers = await all((user) => ({ user_intent: user }))
  expect(answers.map(summaryOf)).toEqual(users.map((user) => [200, [`Thank you, ${user}.`]]))
  const paid = await all((user) => ({
    continuation: { continuation_token: tokenOf(questions[users.indexOf(user)] as EngineReply) },
  }))
  expect(paid.map(summaryOf)).toEqual(Array(3).fill([200, ['Paid.']]))
  const [ann, bob] = shells as [(typeof shells)[0], (typeof shells)[0]]
  const foreign = { continuation: { continuation_token: tokenOf(questions[1] as EngineReply) } }
  expect(summaryOf(await ann(foreign))).toEqual([400, 'invalid_request'])
  for (const reply of [...asked, ...questions]) {
    const owner = users[[...asked, ...questions].indexOf(reply) % 3] as string
    for (const user of users)
      expect((await engine.get(`/sessions/${sessionOf(reply)}`, bearer(user))).status).toBe(user === owner ? 200 : 404)
  }
  // An id that another user has taken first is nobody's way in: the procedure runs elsewhere.
  await engine.send(messageOf({ session_id: 'hers', user_intent: hello }), bearer('ann'))
  await engine.send(messageOf({ session_id: 'hers:greet', user_intent: hello }), bearer('bob'))
  const hers = await engine.send(messageOf({ session_id: 'hers', user_intent: 'go', ...sop('greet') }), bearer('ann'))
  expect([summaryOf(hers), sessionOf(hers) === 'hers:greet']).toEqual([[200, ['Good day.']], false])
  expect(summaryOf(await bob({ session_id: 'hers', user_intent: 'go', ...sop('greet') }))).toEqual([404, 'not_found'])
})

test('[OH145] a session called into a user’s line belongs to that user, whoever calls', async () => {
  const tokens = [{ token: 'ann', user: 'ann' }, { token: 'bob', user: 'bob' }, { token: 'operator' }]
  const engine = testEngine({ tokens }, procedures)
  const turn = (token: string, session_id: string, context: object) =>
    engine.send(messageOf({ session_id, ...context }), bearer(token))
  await turn('ann', 'hers', { user_intent: hello })
  const called = await turn('operator', 'hers', { user_intent: 'go', ...sop('onboard') })
  expect(summaryOf(await turn('bob', 'hers', { user_intent: 'Bob' }))).toEqual([404, 'not_found'])
  expect(sessionOf(await turn('ann', 'hers', { user_intent: 'Ann' }))).toBe(sessionOf(called))
  // A line that is nobody's is everybody's.
  await turn('operator', 'open', { user_intent: hello })
  await turn('ann', 'open', { user_intent: 'go', ...sop('onboard') })
  expect(summaryOf(await turn('bob', 'open', { user_intent: 'Bob' }))).toEqual([200, ['Thank you, Bob.']])
})

test('[OH145] a hint does not open a private agent', async () => {
  const engine = testEngine({ exposeAll: false, expose: ['scripted'] }, procedures)
  const ask = shellOf(engine, { session_id: 's' })
  expect(summaryOf(await ask({ user_intent: hello }))).toEqual([200, ['Hello.']])
  expect(summaryOf(await ask({ user_intent: hello, task_hint: { plugin_id: 'keyless' } }))).toEqual([403, 'forbidden'])
})

test('[OH12] [OH145] a repeated request gets its answer, whatever became of the line since', async () => {
  const engine = testEngine({}, procedures)
  const ask = shellOf(engine, { session_id: 's' })
  const requests: [object, string][] = [
    [{ user_intent: hello }, 'one'],
    [{ user_intent: 'go', ...sop('onboard') }, 'two'],
    [{ user_intent: 'Ann' }, 'three'],
    [{ user_intent: script({ text: 'Back.' }) }, 'four'],
    [sop('greet'), 'five'],
  ]
  const first: EngineReply[] = []
  for (const [context, id] of requests) first.push(await ask(context, id))
  expect(first.map(texts).slice(2)).toEqual([['Thank you, Ann.'], ['Back.'], ['Good day.']])
  for (const [index, [context, id]] of requests.entries()) {
    const again = await ask(context, id)
    expect(again.body.response.extensions).toEqual(first[index]?.body.response.extensions)
    // The first answer to `two` was the question, which is answered now.
    if (id !== 'two') expect(texts(again)).toEqual(texts(first[index] as EngineReply))
  }
  expect(summaryOf(await ask({ user_intent: 'Eve' }, 'three'))).toEqual([409, 'request_id_conflict'])
  expect(summaryOf(await ask({ user_intent: hello }, 'two'))).toEqual([409, 'request_id_conflict'])
  const question = await ask(sop('pay'), 'six')
  const continuation = { continuation_token: tokenOf(question) }
  expect(summaryOf(await ask({ continuation }, 'one'))).toEqual([409, 'request_id_conflict'])
  expect(summaryOf(await ask({ continuation }, 'seven'))).toEqual([200, ['Paid.']])
  expect((await engine.get('/sessions/s:onboard')).body.messages).toHaveLength(3)
  expect((await engine.get('/sessions/s')).body.messages).toHaveLength(4)
})

test('[OH145] a question whose time is over takes no text', async () => {
  const engine = testEngine({}, { brief })
  const ask = shellOf(engine, { session_id: 's' })
  await ask({ user_intent: hello })
  await ask(sop('brief'))
  engine.advance(60_000)
  expect(sessionOf(await ask({ user_intent: hello }))).toBe('s')
})

test('[OH145] twenty at once: one procedure for one request, and one answer to one question', async () => {
  const engine = testEngine({}, procedures)
  const twenty = (context: (index: number) => object, id: (index: number) => string) =>
    Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        engine.send(messageOf({ session_id: 's', ...context(index) }, { request_id: id(index) })),
      ),
    )
  await engine.send(messageOf({ session_id: 's', user_intent: hello }))
  const started = await twenty(
    () => ({ user_intent: 'go', ...sop('onboard') }),
    () => 'one',
  )
  expect(new Set(started.map((reply) => `${sessionOf(reply)} ${texts(reply)}`))).toEqual(
    new Set(['s:onboard Welcome.,request_approval']),
  )
  const said = (index: number) => script({ text: `Text ${index}.` })
  const answers = await twenty(
    (index) => ({ user_intent: said(index) }),
    (index) => `r${index}`,
  )
  const thanked = answers.filter((reply) => sessionOf(reply) === 's:onboard')
  expect(thanked.map((reply) => String(texts(reply)).startsWith('Thank you'))).toEqual([true])
  expect(answers.filter((reply) => sessionOf(reply) === 's')).toHaveLength(19)
  expect((await engine.get('/sessions/s:onboard')).body.messages).toHaveLength(3)
})

test('[OH145] two procedures wait in one line: the newest question is answered first', async () => {
  const engine = testEngine({}, { ...procedures, survey: onboard })
  const ask = shellOf(engine, { session_id: 's' })
  await ask({ user_intent: hello })
  await ask({ user_intent: 'go', ...sop('onboard') })
  engine.advance(1_000)
  await ask({ user_intent: 'go', ...sop('survey') })
  expect([sessionOf(await ask({ user_intent: 'Ann' })), sessionOf(await ask({ user_intent: 'Ann' }))]).toEqual([
    's:survey',
    's:onboard',
  ])
  expect(sessionOf(await ask({ user_intent: hello }))).toBe('s')
})

test('[OH20] [OH145] a token of a called session holds with the line’s id, with that session’s own, and without any', async () => {
  for (const context of [{ session_id: 's' }, { session_id: 's:pay' }, {}]) {
    const engine = testEngine({}, procedures)
    await engine.send(messageOf({ session_id: 's', user_intent: hello }))
    const question = await engine.send(messageOf({ session_id: 's', user_intent: 'go', ...sop('pay') }))
    const go = messageOf({ ...context, continuation: { continuation_token: tokenOf(question) } }, { request_id: 'yes' })
    expect([await engine.send(go), await engine.send(go)].map(summaryOf)).toEqual(Array(2).fill([200, ['Paid.']]))
    const other = { session_id: 't', continuation: { continuation_token: tokenOf(question) } }
    expect(summaryOf(await engine.send(messageOf(other)))).toEqual([400, 'invalid_request'])
  }
})

test('[OH145] a procedure that waits for an approval is not started a second time', async () => {
  const engine = testEngine({}, procedures)
  const ask = shellOf(engine, { session_id: 's' })
  await ask({ user_intent: hello })
  const question = await ask({ user_intent: 'Pay.', ...sop('pay') })
  const again = await ask({ user_intent: 'Pay!', ...sop('pay') }, 'again')
  expect(again.body.response.action_directives).toEqual(question.body.response.action_directives)
  expect(summaryOf(await ask({ continuation: { continuation_token: tokenOf(question) } }))).toEqual([200, ['Paid.']])
  expect(summaryOf(await ask({ user_intent: 'Pay!', ...sop('pay') }, 'again'))).toEqual([200, ['Paid.']])
  expect((await engine.get('/sessions/s:pay')).body.messages).toHaveLength(2)
})

test('[OH22] [OH145] a new conversation is branched from the line’s own agent, also behind a procedure', async () => {
  const engine = testEngine({}, procedures)
  const ask = shellOf(engine, { session_id: 's' })
  await ask({ user_intent: 'go', ...sop('greet') })
  expect(sessionOf(await ask({ conversation_id: 'early', user_intent: hello }))).toBe('s:early')
  await ask({ user_intent: hello })
  expect(sessionOf(await ask({ conversation_id: 'late', user_intent: hello }))).toBe('s:late')
  expect(texts(await ask({ conversation_id: 'hinted', user_intent: 'go', ...sop('onboard') }))).toContain('Welcome.')
  const sizes = ['s', 's:scripted', 's:early', 's:late', 's:hinted'].map(
    async (id) => ((await engine.get(`/sessions/${id}`)).body.messages as unknown[]).length,
  )
  expect(await Promise.all(sizes)).toEqual([2, 2, 2, 4, 2])
})

test('[OH22] a conversation with the name of an agent is not the session of that agent, and an old one is found', async () => {
  const engine = testEngine({}, procedures)
  const ask = shellOf(engine, { session_id: 's' })
  await ask({ user_intent: hello })
  const ids = [
    sessionOf(await ask({ user_intent: 'go', ...sop('greet') })),
    sessionOf(await ask({ conversation_id: 'greet', user_intent: 'go', ...sop('greet') })),
    sessionOf(await ask({ conversation_id: 'greet', user_intent: hello })),
  ]
  expect(new Set(ids).size).toBe(3)
  // An earlier version gave a conversation this id.
  for (const agent of ['scripted', 'pay']) {
    const key = { tenant: 'default', agent, id: `${agent}:pay` }
    await engine.host.send(key, { type: 'submit', prompt: hello })
    const old = await ask({
      session_id: agent,
      conversation_id: 'pay',
      ...(agent === 'pay' ? sop('pay') : {}),
      user_intent: hello,
    })
    expect(sessionOf(old)).toBe(`${agent}:pay`)
  }
})

test('[OH125] [OH126] feedback on what a procedure showed is kept with the procedure', async () => {
  const engine = testEngine({}, procedures)
  const PROFILE = 'openharness.execution_feedback'
  const entry = (request_id: string) => ({ request_id, index: 0, outcome: 'executed' })
  const say = (context: object, request_id: string, entries: readonly object[] = []) =>
    engine.send(
      messageOf(
        { session_id: 's', ...context },
        { request_id, capabilities: { [PROFILE]: true } },
        { extensions: { [PROFILE]: entries } },
      ),
    )
  await say({ user_intent: hello }, 'one')
  await say({ user_intent: 'go', ...sop('greet') }, 'two')
  expect((await say({ user_intent: hello }, 'three', [entry('one'), entry('two')])).status).toBe(200)
  expect((await say({}, 'four', [entry('two'), entry('three')])).body.response).toMatchObject({ status: 'success' })
  await say(sop('greet'), 'four', [entry('two'), entry('three')])
  const kept = async (agent: string, id: string) => {
    const session = await engine.host.find({ tenant: 'default', agent, id })
    const events = (await session?.read(0, 1_000)) ?? []
    return events.flatMap(({ type, payload }) =>
      type === 'execution_feedback' ? (payload.entries as { request_id: string }[]).map((each) => each.request_id) : [],
    )
  }
  expect([await kept('scripted', 's'), await kept('greet', 's:greet')]).toEqual([
    ['one', 'three'],
    ['two', 'two'],
  ])
})
