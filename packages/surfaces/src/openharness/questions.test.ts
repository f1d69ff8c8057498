// Questions of agents, answered by shells: with the token of an option, with words, and with fields of ours.
import type { JsonObject } from '@bridle/events/json'
import { expect, test } from 'vitest'
import { bearer } from '../http/test-client.suite.ts'
import { type EngineReply, messageOf, script, testEngine } from './engine.suite.ts'

type TestEngine = ReturnType<typeof testEngine>

const CAPABLE = { 'openharness.ui.approval': true }
const choice = { ask: 'Which database?', id: 'db', options: ['SQLite', 'PostgreSQL'] }
const several = {
  ask: {
    questions: [
      { id: 'db', question: 'Which database?', options: ['SQLite', 'PostgreSQL'] },
      { id: 'days', question: 'Which days?', options: ['Monday', 'Friday'], multi_select: true },
    ],
  },
}
const form = { ask: { schema: { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] } } }

const ask = (engine: TestEngine, session_id: string, step: object, capabilities: object = CAPABLE) =>
  engine.send(
    messageOf({ session_id, user_intent: script(step, { text: 'Thanks.' }) }, { request_id: 'ask', capabilities }),
  )
const payloadOf = ({ body }: EngineReply): JsonObject => {
  const directive = body.response.action_directives?.find(({ action_type }) => action_type === 'request_approval')
  return (directive?.payload ?? {}) as JsonObject
}
const optionsOf = (reply: EngineReply) =>
  payloadOf(reply).options as unknown as { id: string; label: string; continuation_token: string }[]
const tokenOf = (reply: EngineReply, id: string) =>
  optionsOf(reply).find((option) => option.id === id)?.continuation_token ?? ''

const answer = (
  engine: TestEngine,
  continuation_token: string,
  request_id: string,
  { extensions, user_intent }: { extensions?: object; user_intent?: string } = {},
) =>
  engine.send(
    messageOf(
      {
        continuation: { continuation_token },
        ...(user_intent !== undefined && { user_intent }),
        ...(extensions && { extensions: { 'dev.bridle': extensions } }),
      },
      { request_id, capabilities: CAPABLE },
    ),
  )
const errorOf = ({ status, body }: EngineReply) => [
  status,
  body.response.error?.code,
  body.response.error?.details?.field,
]
const resultsOf = async (engine: TestEngine, id: string) => {
  const { messages } = (await engine.get(`/agents/scripted/${id}`)).body as unknown as {
    messages: { toolCalls?: { result?: unknown }[] }[]
  }
  return messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ result }) => result))
}

test('[OH149] a question has what it asks, and its message has all of its texts', async () => {
  const engine = testEngine()
  const [one, two, three] = await Promise.all([
    ask(engine, 's1', choice),
    ask(engine, 's2', several),
    ask(engine, 's3', { ...form, ask: { ...form.ask, default: { port: 1 } } }),
  ])
  const options = [{ label: 'SQLite' }, { label: 'PostgreSQL' }]
  expect(payloadOf(one)).toMatchObject({
    ...{ message: 'Which database?', tool: 'ask' },
    questions: [{ id: 'db', question: 'Which database?', options }],
  })
  expect(payloadOf(two)).toMatchObject({
    message: 'Which database?\nWhich days?',
    questions: [{ id: 'db' }, { id: 'days', multi_select: true }],
  })
  expect(payloadOf(three)).toMatchObject({ schema: form.ask.schema, default: { port: 1 } })
  // An approval of a tool has none of them.
  const tool = payloadOf(await ask(engine, 's4', { approve: 'write' }))
  expect(['questions', 'schema', 'default'].filter((name) => name in tool)).toEqual([])
})

test('[OH150] each option of a single choice has a token, which is the whole answer, in three sessions', async () => {
  const engine = testEngine()
  const replies = await Promise.all(['s1', 's2', 's3'].map((id) => ask(engine, id, choice)))
  const [one, two, three] = replies as [EngineReply, EngineReply, EngineReply]
  expect(optionsOf(one).map(({ id, label }) => [id, label])).toEqual([
    ['option-1', 'SQLite'],
    ['option-2', 'PostgreSQL'],
    ['deny', 'Decline'],
  ])
  const given = [
    await answer(engine, tokenOf(three, 'option-1'), 'a'),
    await answer(engine, tokenOf(one, 'option-2'), 'a', { user_intent: 'PostgreSQL' }),
    await answer(engine, tokenOf(two, 'deny'), 'a'),
  ]
  for (const { status, body } of given)
    expect([status, body.response.action_directives?.map(({ payload }) => payload?.text)]).toEqual([200, ['Thanks.']])
  expect(await resultsOf(engine, 's1')).toEqual([{ answers: { db: 'PostgreSQL' } }])
  expect(await resultsOf(engine, 's2')).toEqual([undefined])
  expect(await resultsOf(engine, 's3')).toEqual([{ answers: { db: 'SQLite' } }])
  // The same request again is the same answer; another option, or another request, comes too late.
  expect((await answer(engine, tokenOf(one, 'option-2'), 'a', { user_intent: 'PostgreSQL' })).status).toBe(200)
  for (const [id, request] of [
    ['option-1', 'a'],
    ['option-2', 'b'],
    ['deny', 'c'],
  ] as const)
    expect(errorOf(await answer(engine, tokenOf(one, id), request))).toEqual([409, 'continuation_used', undefined])
})

test('[OH150] a choice that takes other text has its options and a text', async () => {
  const engine = testEngine()
  const free = { ...choice, allow_free_text: true }
  const [one, two, three] = await Promise.all(['s1', 's2', 's3'].map((id) => ask(engine, id, free)))
  expect(optionsOf(one as EngineReply).map(({ id, label }) => [id, label])).toEqual([
    ['option-1', 'SQLite'],
    ['option-2', 'PostgreSQL'],
    ['approve', 'Answer'],
    ['deny', 'Decline'],
  ])
  expect(payloadOf(one as EngineReply).tool).toBe('user.input')
  await answer(engine, tokenOf(one as EngineReply, 'option-1'), 'a')
  await answer(engine, tokenOf(two as EngineReply, 'approve'), 'a', { user_intent: 'DuckDB' })
  await engine.send(messageOf({ session_id: 's3', user_intent: 'MariaDB' }, { request_id: 'b' }))
  expect(errorOf(await answer(engine, tokenOf(three as EngineReply, 'option-1'), 'c'))[1]).toBe('continuation_used')
  const results = await Promise.all(['s1', 's2', 's3'].map((id) => resultsOf(engine, id)))
  expect(results).toEqual(['SQLite', 'DuckDB', 'MariaDB'].map((db) => [{ answers: { db } }]))
})

test('[OH151] several questions and forms are answered with fields; one that does not fit leaves them open', async () => {
  const engine = testEngine()
  const [questions, values] = await Promise.all([ask(engine, 's1', several), ask(engine, 's2', form)])
  for (const reply of [questions, values])
    expect(optionsOf(reply as EngineReply).map(({ id, label }) => [id, label])).toEqual([
      ['approve', 'Answer'],
      ['deny', 'Decline'],
    ])
  const token = tokenOf(questions as EngineReply, 'approve')
  const unfit: readonly [object | undefined, RegExp][] = [
    [undefined, /Send `answers` in context\.extensions\.dev\.bridle\./],
    [{}, /Send `answers`/],
    [{ answers: { db: 'Oracle', days: [] } }, /"Oracle" is not an option of question "db"/],
    [{ answers: { db: 'SQLite' } }, /Question "days" has no answer/],
    [{ answers: { db: ['SQLite'], days: [] } }, /takes one answer/],
    [{ answers: 'SQLite' }, /must be an object/],
    [{ answers: null }, /must be an object/],
    [{ values: { port: 1 } }, /Questions take `answers`/],
  ]
  for (const [extensions, message] of unfit) {
    const refused = await answer(engine, token, 'a', { ...(extensions && { extensions }) })
    expect([extensions, ...errorOf(refused)]).toEqual([
      extensions,
      400,
      'invalid_request',
      'context.extensions.dev.bridle',
    ])
    expect(refused.body.response.error?.message).toMatch(message)
  }
  expect((await answer(engine, tokenOf(values as EngineReply, 'approve'), 'a')).body.response.error?.message).toMatch(
    'Send `values`',
  )
  const answers = { db: 'SQLite', days: ['Friday'] }
  expect((await answer(engine, token, 'a', { extensions: { answers } })).status).toBe(200)
  expect((await answer(engine, token, 'a', { extensions: { answers } })).status).toBe(200)
  const other = { extensions: { answers: { ...answers, days: [] } } }
  expect(errorOf(await answer(engine, token, 'a', other))[1]).toBe('continuation_used')
  await answer(engine, tokenOf(values as EngineReply, 'approve'), 'a', { extensions: { values: { port: 80 } } })
  expect([await resultsOf(engine, 's1'), await resultsOf(engine, 's2')]).toEqual([
    [{ answers }],
    [{ values: { port: 80 } }],
  ])
})

test('[OH151] the token alone gives the default, also when it is sent again', async () => {
  const engine = testEngine()
  const reply = await ask(engine, 's1', { ask: { ...several.ask, default: { db: 'SQLite', days: [] } } })
  for (let sent = 0; sent < 2; sent++)
    expect((await answer(engine, tokenOf(reply, 'approve'), 'a', { user_intent: 'Answer' })).status).toBe(200)
  expect(await resultsOf(engine, 's1')).toEqual([{ answers: { db: 'SQLite', days: [] } }])
})

test('[OH151] an answer needs the scope of approvals, and a message without a token is a turn of its own', async () => {
  const engine = testEngine({
    tokens: [
      { token: 'a', user: 'ann' },
      { token: 'b', user: 'ann', scopes: ['observe', 'operate'] },
    ],
  })
  const prompt = messageOf(
    { session_id: 's1', user_intent: script(choice, { text: 'Thanks.' }) },
    { request_id: 'ask' },
  )
  const reply = await engine.send(prompt, bearer('a'))
  const sent = messageOf({ continuation: { continuation_token: tokenOf(reply, 'option-1') } }, { request_id: 'x' })
  expect(errorOf(await engine.send(sent, bearer('b')))).toEqual([403, 'forbidden', undefined])
  // The words of an option are not its token.
  const typed = await engine.send(
    messageOf({ session_id: 's1', user_intent: 'SQLite' }, { request_id: 'y' }),
    bearer('a'),
  )
  expect(payloadOf(typed)).toEqual(payloadOf(reply))
  expect((await engine.send(sent, bearer('a'))).status).toBe(200)
})

test('[OH152] a shell without approvals learns what is asked, and where it is answered', async () => {
  const engine = testEngine()
  const adviceOn = async (id: string, step: object) => payloadOf(await ask(engine, id, step, {})).fallback_message
  expect(await adviceOn('s1', { ...choice, allow_free_text: true })).toBe(
    'Which database? Options: "SQLite", "PostgreSQL". Answer with your next message.',
  )
  expect(await adviceOn('s2', choice)).toBe(
    'Which database? Options: "SQLite", "PostgreSQL". This shell cannot answer. The question waits in the inbox: answer it there, or on another screen.',
  )
  expect(await adviceOn('s3', several)).toMatch(
    /^Which database\?\nWhich days\? This shell cannot answer\. The question waits in the inbox/,
  )
  expect(await adviceOn('s4', form)).toMatch(/The question waits in the inbox/)
})
