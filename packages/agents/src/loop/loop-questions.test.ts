// Questions of a model, which it asks with the tool of `askQuestion()`.
import type { JsonObject } from '@bridle/events/json'
import type { ApprovalAnswer } from '@bridle/kernel/ports/runner'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent } from '../agent.ts'
import type { PolicyRule } from '../policy.ts'
import { type AskQuestionOptions, askQuestion } from '../tools/ask-question.ts'
import { isTool, tool } from '../tools/tool.ts'
import { applyAnswer } from './calls/call-approvals.ts'
import { keyOf, LoopWorld, lastResults, stubModel } from './loop.suite.ts'

const DATABASE = { id: 'db', question: 'Which database?', options: ['SQLite', { label: 'PostgreSQL' }] }
const FORM = { type: 'object', properties: { seats: { type: 'integer' } }, required: ['seats'] }
const sessions = ['s1', 's2', 's3'].map((id) => keyOf(id))

/** An agent that asks each request in a call of one answer, and then says what it got. */
const asker = (
  requests: readonly object[],
  settings: AskQuestionOptions = {},
  policy: readonly PolicyRule[] = [],
  more: object = {},
) =>
  agent({
    name: 'tested',
    model: stubModel((prompt) => {
      const results = lastResults(prompt)
      return results
        ? { text: JSON.stringify(results) }
        : { calls: requests.map((each) => [settings.name ?? 'ask_question', each]) }
    }),
    tools: [askQuestion(settings)],
    policy,
    ...more,
  })

const formOf = (count: number) => {
  const fields = Array.from({ length: count }, (_, index): [string, object] => [`f${index}`, { type: 'string' }])
  return { type: 'object', properties: Object.fromEntries(fields) }
}

const open = async (it: LoopWorld, key = keyOf()) => Object.values((await it.host.open(key)).state.approvals.open)

const answer = async (it: LoopWorld, approvalId: string, given: JsonObject, key = keyOf()) => {
  const reply = await it.send({ type: 'approve', approvalId, decision: 'approved', ...given }, key)
  await it.quiet()
  return reply
}

const resultsOf = async (it: LoopWorld, key = keyOf()) => JSON.parse(String(await it.result(key))) as unknown[]

describe('[N251] ask_question', () => {
  test('asks in three sessions at once; after a kill the ids are the same, and each model gets its own answers', async () => {
    let it = new LoopWorld(asker([{ questions: [DATABASE] }, { schema: FORM }]))
    for (const key of sessions) await it.submit('go', key)
    await it.quiet()
    const asked = await Promise.all(sessions.map((key) => open(it, key)))
    expect(it.host.runningCount).toBe(0)
    it = await it.again()
    for (const [index, key] of [...sessions.entries()].reverse()) {
      const now = await open(it, key)
      expect(now.map(({ id }) => id)).toEqual(asked[index]?.map(({ id }) => id))
      expect(now).toMatchObject([
        {
          ...{ kind: 'question', tool: 'ask_question', reason: 'Which database?' },
          questions: [{ ...DATABASE, options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }],
        },
        { kind: 'question', schema: FORM },
      ])
      const [choice, form] = now.map(({ id }) => id)
      await answer(it, String(form), { values: { seats: index } }, key)
      it = await it.again()
      await answer(it, String(choice), { answers: { db: 'PostgreSQL' } }, key)
    }
    for (const [index, key] of sessions.entries()) {
      expect(await resultsOf(it, key)).toEqual([{ answers: { db: 'PostgreSQL' } }, { values: { seats: index } }])
      expect(await it.payloads('approval_required', key)).toHaveLength(2)
      expect(await it.payloads('tool_outcome', key)).toMatchObject([
        { status: 'ok', result: { values: { seats: index } } },
        { status: 'ok', result: { answers: { db: 'PostgreSQL' } } },
      ])
    }
  })

  test.each<[string, JsonObject, JsonObject]>([
    ['an answer', { answers: { db: 'MySQL' } }, { refused: 'invalid_answer' }],
    ['values', { values: { db: 'SQLite' } }, { refused: 'invalid_answer' }],
    ['arguments', { args: { questions: [] } }, { refused: 'arguments_fixed' }],
  ])('stays open when %s does not fit', async (_name, given, refusal) => {
    const it = new LoopWorld(asker([{ questions: [DATABASE] }]))
    await it.ask('go')
    const id = await it.openApproval()
    expect(await answer(it, id, given)).toMatchObject(refusal)
    expect(await it.openApproval()).toBe(id)
    await answer(it, id, { answers: { db: 'SQLite' } })
    expect(await resultsOf(it)).toEqual([{ answers: { db: 'SQLite' } }])
  })

  test('takes a prompt as the answer to one question for a text', async () => {
    const it = new LoopWorld(asker([{ questions: [{ question: 'Your name?', allow_free_text: true }] }]))
    await it.ask('go')
    await it.ask('Ada')
    expect(await it.payloads('tool_outcome')).toMatchObject([{ status: 'ok', result: { answers: { q1: 'Ada' } } }])
  })
})

describe('[N252] without an answer', () => {
  test.each<[string, string | undefined, string]>([
    ['declined', undefined, 'The call was not made: The user declined to answer.'],
    ['declined with a reason', 'Ask later.', 'The call was not made: The user declined to answer: Ask later.'],
  ])('that is %s the model reads so, and the turn goes on', async (_name, reason, read) => {
    const it = new LoopWorld(asker([{ questions: [DATABASE] }]))
    await it.ask('go')
    const approvalId = await it.openApproval()
    await it.send({ type: 'approve', approvalId, decision: 'denied', ...(reason !== undefined && { reason }) })
    await it.quiet()
    expect(await resultsOf(it)).toEqual([read])
    expect(await it.payloads('tool_outcome')).toMatchObject([{ status: 'denied', reason: reason ?? 'denied' }])
  })

  test('that the session refused to ask, the model reads that it was not asked', async () => {
    const answer: ApprovalAnswer = {
      ...({ requestId: 'apr-1', toolCallId: 'c1', kind: 'question', decision: 'denied', isRefused: true } as const),
      ...{ arguments: {}, approvedDigest: null, reason: 'Too many approvals are open.' },
    }
    const { items } = await applyAnswer({ id: 'c1', tool: 'ask_question' }, {}, answer, async (text) => text)
    const error = 'The question was not asked. Too many approvals are open.'
    expect(items.at(-1)).toMatchObject({ event: { payload: { status: 'error', reason: 'not_asked', error } } })
  })

  test.each<[string, object, unknown]>([
    ['the model reads that the time is over', {}, 'The call was not made: The user did not answer in time.'],
    ['the default applies', { default: { db: 'SQLite' } }, { answers: { db: 'SQLite' } }],
  ])('in time %s, also while no process runs', async (_name, more, read) => {
    const before = new LoopWorld(asker([{ questions: [DATABASE], ...more }], { expiresMs: 60_000 }))
    await before.ask('go')
    before.kill()
    before.clock.step(3_600_000)
    const it = await before.again()
    expect(await resultsOf(it)).toEqual([read])
  })
})

describe('[N253] a request that cannot be asked', () => {
  test.each<[string, object, RegExp]>([
    ['neither questions nor a form', {}, /either `questions` or `schema`/],
    ['both', { questions: [DATABASE], schema: FORM }, /either `questions` or `schema`/],
    ['a question that nobody could answer', { questions: [{ question: 'Why?' }] }, /nobody could answer it/],
    ['two questions of one id', { questions: [DATABASE, DATABASE] }, /Two questions have the id "db"/],
    ['a form of 500 fields', { schema: formOf(500) }, /500 fields; at most 100/],
    ['a password', { schema: { type: 'object', properties: { a: { format: 'password' } } } }, /Secrets do not belong/],
    [
      'a label of 10,000 characters',
      { questions: [{ question: 'Which?', options: ['x'.repeat(10_000)] }] },
      /at most 200/,
    ],
  ])('is an error that the model reads: %s', async (_name, request, problem) => {
    const it = new LoopWorld(asker([request]))
    await it.ask('go')
    expect(await it.payloads('approval_required')).toEqual([])
    expect(await it.outcomes()).toEqual(['ask_question error arguments_invalid'])
    expect(String((await resultsOf(it))[0])).toMatch(problem)
  })

  test.each<[string, AskQuestionOptions, RegExp]>([
    ['a name', { name: 'ask me' }, /the name may have letters/],
    ['a time', { expiresMs: -1 }, /expiresMs .* is not between/],
  ])('askQuestion() refuses %s', (_name, settings, problem) => {
    expect(() => askQuestion(settings)).toThrow(problem)
  })

  test('only askQuestion() makes such a tool', () => {
    const made = askQuestion({ name: 'clarify' })
    expect([isTool(made), made.isQuestion, made.name]).toEqual([true, true, 'clarify'])
    const fields = { name: 'x', description: 'X.', run: () => 0, isQuestion: true }
    expect(() => tool(fields)).toThrow(/isQuestion/)
  })
})

describe('[N254] policy and middleware', () => {
  test('a rule that asks before every call adds its time and its audience, and no second question', async () => {
    const rule: PolicyRule = { tool: '*', do: 'ask', reason: 'Careful.', audience: 'owner', expiresMs: 9_000 }
    const it = new LoopWorld(asker([{ questions: [DATABASE] }], { expiresMs: 60_000 }, [rule]))
    await it.ask('go')
    const [asked] = await open(it)
    expect(asked).toMatchObject({ kind: 'question', reason: 'Which database?', audience: 'owner' })
    expect((asked?.expiresAt ?? 0) - (asked?.requestedAt ?? 0)).toBe(9_000)
    await answer(it, String(asked?.id), { answers: { db: 'SQLite' } })
    expect(await resultsOf(it)).toEqual([{ answers: { db: 'SQLite' } }])
  })

  test('a rule that denies asks nothing', async () => {
    const it = new LoopWorld(asker([{ questions: [DATABASE] }], {}, [{ tool: 'ask_*', do: 'deny' }]))
    await it.ask('go')
    expect([await it.payloads('approval_required'), await it.outcomes()]).toEqual([
      [],
      ['ask_question denied policy_denied'],
    ])
  })

  test('middleware sees the answer before the model does', async () => {
    const hide = { name: 'hide', after: async () => 'hidden' }
    const it = new LoopWorld(asker([{ questions: [DATABASE] }], {}, [], { use: [hide] }))
    await it.ask('go')
    await answer(it, await it.openApproval(), { answers: { db: 'SQLite' } })
    expect(await resultsOf(it)).toEqual(['hidden'])
  })

  test('an agent with an output and more tools may ask, too', async () => {
    const output = v.object({ db: v.string() })
    const many = Array.from({ length: 40 }, (_, index) =>
      tool({ name: `other${index}`, description: 'Does something else.', run: () => index }),
    )
    const definition = agent({
      name: 'tested',
      output,
      tools: [...many, askQuestion()],
      model: stubModel((prompt) => {
        const [result] = (lastResults(prompt) ?? []) as { answers?: { db: string } }[]
        return { calls: [result?.answers ? ['answer', result.answers] : ['ask_question', { questions: [DATABASE] }]] }
      }),
    })
    const it = new LoopWorld(definition)
    await it.ask('go')
    await answer(it, await it.openApproval(), { answers: { db: 'SQLite' } })
    expect(await it.result()).toEqual({ db: 'SQLite' })
  })
})
