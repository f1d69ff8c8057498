// `session.ask`: questions and forms of a function, in durable runs and in others.
import type { JsonObject } from '@bridle/events/json'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { RunContext } from '../agent.ts'
import type { AgentSession } from '../session.ts'
import { type AgentFunction, DurableProcess, defineAgents, keyOf } from './durable-world.suite.ts'

const [one, two, three] = [keyOf('shop', 's1'), keyOf('shop', 's2'), keyOf('poet', 's3')]
const keys = [one, two, three]

const QUESTIONS = [
  { id: 'db', header: 'Store', question: 'Which database?', options: ['SQLite', 'PostgreSQL'] },
  { id: 'parts', question: 'Which parts?', options: [{ label: 'API' }, { label: 'Pages' }], multi_select: true },
  { id: 'name', question: 'What is its name?', allow_free_text: true },
] as const

const Account = v.object({ name: v.pipe(v.string(), v.trim(), v.startsWith('a')), seats: v.number() })

const worldOf = (run: AgentFunction, durable = true) =>
  new DurableProcess(defineAgents({ shop: run, poet: run }, durable))

const answer = (process: DurableProcess, key: typeof one, approvalId: string, given: JsonObject) =>
  process.send(key, { type: 'approve', approvalId, decision: 'approved', ...given })

test('[N246] the types of answers follow from the questions, and those of values from the form', () => {
  const typed = async ({ session }: RunContext<unknown>) => {
    const { answers } = await session.ask(QUESTIONS)
    type Answers = NonNullable<typeof answers>
    expectTypeOf<Answers['db']>().toEqualTypeOf<'SQLite' | 'PostgreSQL'>()
    expectTypeOf<Answers['parts']>().toEqualTypeOf<readonly ('API' | 'Pages')[]>()
    expectTypeOf<Answers['name']>().toEqualTypeOf<string>()
    const asked = await session.ask(Account)
    if (asked.answered) expectTypeOf(asked.values).toEqualTypeOf<{ name: string; seats: number }>()
    else expectTypeOf(asked.values).toEqualTypeOf<null>()
    const { values } = await session.ask({ type: 'object', properties: { name: { type: 'string' } } })
    expectTypeOf(values).toEqualTypeOf<JsonObject | null>()
    // @ts-expect-error The default is an answer to the questions.
    await session.ask([{ id: 'db', question: 'Which?', options: ['a'] }], { default: { db: 'b' } })
  }
  expect(typed).toBeTypeOf('function')
})

describe.each([
  ['durable', true],
  ['not durable', false],
])('a function that is %s', (_name, durable) => {
  test('[N246] asks questions and a form in three sessions, which are answered in another order', async () => {
    const process = worldOf(async ({ session }) => {
      const { answers } = await session.ask(QUESTIONS)
      const { values } = await session.ask(Account, { reason: 'Who pays?' })
      return { answers, values }
    }, durable)
    for (const key of keys) await process.submit(key, 'x')
    const ids = await Promise.all(keys.map((key) => process.approval(key)))
    for (const [index, key] of [...keys.entries()].reverse()) {
      const answers = { db: 'SQLite', parts: ['Pages'], name: `n${index}` }
      await answer(process, key, String(ids[index]), { answers })
    }
    for (const [index, key] of keys.entries()) {
      await process.until(async () => ![undefined, ids[index]].includes((await process.openApprovals(key))[0]))
      await answer(process, key, await process.approval(key), { values: { name: ' ada ', seats: index } })
    }
    for (const [index, key] of keys.entries()) {
      await process.idle(key)
      expect(await process.results(key)).toEqual([
        {
          answers: { db: 'SQLite', parts: ['Pages'], name: `n${index}` },
          values: { name: 'ada', seats: index },
        },
      ])
      const asked = await process.payloads(key, 'approval_required')
      expect(asked).toMatchObject([
        { kind: 'question', tool_name: 'ask', reason: 'Which database? Which parts? What is its name?' },
        { kind: 'question', reason: 'Who pays?', schema: { type: 'object', required: ['name', 'seats'] } },
      ])
      expect(await process.payloads(key, 'tool_outcome')).toMatchObject([
        { status: 'ok', result: { answers: { name: `n${index}` } } },
        { status: 'ok', result: { values: { name: ' ada ' } } },
      ])
    }
    expect(process.faults).toEqual([])
  })

  test('[N247] a declined question is an answer, and so is an expired one without a default', async () => {
    const process = worldOf(async ({ session }) => {
      const question = [{ id: 'db', question: 'Which?', options: ['a', 'b'] }] as const
      return [
        await session.ask(question),
        await session.ask(question, { expiresMs: 500 }),
        await session.ask(question, { expiresMs: 500, default: { db: 'b' } }),
      ]
    }, durable)
    await process.submit(one, 'x')
    const approvalId = await process.approval(one)
    await process.send(one, { type: 'approve', approvalId, decision: 'denied', reason: 'Neither.' })
    for (let asked = 2; asked <= 3; asked++) {
      await process.until(async () => (await process.payloads(one, 'approval_required')).length === asked)
      await process.clock.pass(600)
    }
    await process.idle(one)
    expect(await process.results(one)).toEqual([
      [
        { answered: false, decision: 'denied', answers: null, reason: 'Neither.' },
        { answered: false, decision: 'expired', answers: null, reason: 'expired' },
        { answered: true, decision: 'approved', answers: { db: 'b' }, reason: 'expired' },
      ],
    ])
  })

  test('[N248] values that only the schema of the agent refuses are asked for again, with the reason', async () => {
    const process = worldOf(async ({ session }) => (await session.ask(Account)).values, durable)
    await process.submit(one, 'x')
    const first = await process.approval(one)
    await answer(process, one, first, { values: { name: 'bob', seats: 1 } })
    await process.until(async () => ![undefined, first].includes((await process.openApprovals(one))[0]))
    await answer(process, one, await process.approval(one), { values: { name: 'ann', seats: 1 } })
    await process.idle(one)
    expect((await process.payloads(one, 'approval_required'))[1]?.reason).toMatch(/^The values do not fit: name: /)
    expect(await process.results(one)).toEqual([{ name: 'ann', seats: 1 }])
  })

  test.each<[string, (session: AgentSession) => Promise<unknown>, RegExp]>([
    ['no question', (session) => session.ask([]), /at least one question/],
    ['nobody could answer', (session) => session.ask([{ question: 'Why?' }]), /nobody could answer/],
    ['a password', (session) => session.ask(formOf({ type: 'string', format: 'password' })), /Secrets do not belong/],
    ['a cycle', (session) => session.ask(cyclic()), /is not JSON/],
    ['a question alone', (session) => session.ask({ question: 'Which?' } as never), /Put the question in brackets/],
    ['neither', (session) => session.ask('Why?' as never), /list of questions, or the schema of a form/],
    [
      'a default that does not fit',
      (session) => session.ask([{ question: 'Which?', options: ['a'] }] as const, { default: { q1: 'b' } as never }),
      /The default does not fit/,
    ],
    [
      'a default that only the schema of the agent refuses',
      (session) => session.ask(Account, { expiresMs: 60_000, default: { name: 'bob', seats: 1 } }),
      /The default does not fit/,
    ],
    ['a reason', (session) => session.ask([{ question: 'Q?', options: ['a'] }], { reason: 7 as never }), /is a text/],
    ['a time', (session) => session.ask([{ question: 'Q?', options: ['a'] }], { expiresMs: -1 }), /expiresMs/],
  ])('[N249] refuses %s, and asks nothing', async (_name, ask, expected) => {
    const process = worldOf(({ session }) => ask(session).catch((error: Error) => `${error.name} ${error.message}`))
    await process.submit(one, 'x')
    await process.idle(one)
    const [result] = await process.results(one)
    expect(result).toMatch(/^(Type|Range)Error /)
    expect(result).toMatch(expected)
    expect(await process.payloads(one, 'approval_required')).toEqual([])
  })
})

const formOf = (field: JsonObject) => ({ type: 'object', properties: { field } }) as const
const cyclic = () => {
  const form: { type: 'object'; properties: JsonObject } = { type: 'object', properties: {} }
  Object.assign(form.properties, { form })
  return form
}

test('[N246] a question keeps its id when its process is gone, and equal questions of a run have their own answers', async () => {
  const ask: AgentFunction = async ({ session }, process) => {
    const which = [{ question: 'Which?', options: ['a', 'b'] }] as const
    const first = await session.ask(which)
    await process.act(`first ${session.id}`, 0)
    const second = await session.ask(which)
    return `${first.answers?.q1} ${second.answers?.q1}`
  }
  let process = worldOf(ask)
  for (const key of keys) await process.submit(key, 'x')
  for (const [round, given] of ['a', 'b'].entries()) {
    const ids = await Promise.all(keys.map((key) => process.approval(key)))
    process = await process.next()
    expect(await Promise.all(keys.map((key) => process.approval(key)))).toEqual(ids)
    for (const [index, key] of keys.entries())
      await answer(process, key, String(ids[index]), { answers: { q1: given } })
    if (round === 0)
      for (const [index, key] of keys.entries())
        await process.until(async () => ![undefined, ids[index]].includes((await process.openApprovals(key))[0]))
  }
  for (const key of keys) {
    await process.idle(key)
    expect(await process.results(key)).toEqual(['a b'])
    expect((await process.payloads(key, 'tool_call')).map((call) => call.tool_call_id)).toEqual([
      'approval:ask',
      'approval:ask#2',
    ])
  }
})
