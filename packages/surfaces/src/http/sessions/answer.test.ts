import type { Json, JsonObject } from '@bridle/events/json'
import { parseQuestions, type QuestionRequest } from '@bridle/events/questions'
import { questionReport } from '@bridle/kernel/host/question-report'
import type { ApprovalAnswer, RunEnd, Runner } from '@bridle/kernel/ports/runner'
import { digest } from '@bridle/system/system-ports'
import { describe, expect, test, vi } from 'vitest'
import { socketClient } from '../socket-client.suite.ts'
import { testApp } from '../test-app.suite.ts'
import { scriptBody } from '../test-client.suite.ts'

type App = ReturnType<typeof testApp>

const db = { ask: 'Which database?', id: 'db', options: ['SQLite', 'PostgreSQL'] }
const schema = { type: 'object', properties: { port: { type: 'integer', maximum: 9 } }, required: ['port'] }

const openOf = async (it: App, id: string) =>
  ((await it.get(`/sessions/${id}`)).body.approvals ?? []) as { readonly id: string; readonly toolCallId: string }[]

/** A session of the scripted agent that waits at one of these steps, and the path of its approval. */
const waiting = async (it: App, id: string, ...steps: readonly object[]) => {
  const body = scriptBody(...(steps.length > 0 ? steps : [db]), { text: 'done' })
  await it.post(`/agents/scripted/${id}`, body, { prefer: 'respond-async' })
  await vi.waitFor(async () => expect(await openOf(it, id)).toHaveLength(1))
  const approvalId = (await openOf(it, id))[0]?.id ?? ''
  const path = `/sessions/${id}/approvals/${approvalId}`
  const answer = (body: object, verb = 'answer', headers: Record<string, string> = {}) =>
    it.post(`${path}/${verb}`, body, headers)
  return { approvalId, path, answer }
}
const resultsOf = async (it: App, id: string, agent = 'scripted'): Promise<readonly Json[]> => {
  await vi.waitFor(async () => expect((await it.get(`/sessions/${id}`)).body.status).toBe('idle'))
  const { entries } = (await it.get(`/agents/${agent}/${id}`)).body as { readonly entries: readonly JsonObject[] }
  return entries.flatMap(({ type, result }) => (type === 'tool_call' ? [result ?? null] : []))
}
const invalid = (message: string | RegExp) => ({
  status: 400,
  body: { error: { type: 'invalid_answer', message: expect.stringMatching(message) } },
})

describe('[H197] a question is answered', () => {
  test('with answers: the reply of approve, and the agent has them', async () => {
    const it = testApp()
    const { approvalId, answer } = await waiting(it, 'a')
    const reply = await answer({ answers: { db: 'PostgreSQL' }, reason: 'It scales', actor: 'ann' })
    expect(reply).toMatchObject({ status: 200, body: { ok: true, approvalId, decision: 'approved' } })
    expect(await resultsOf(it, 'a')).toEqual([{ answers: { db: 'PostgreSQL' } }])
    expect((await it.get('/sessions/a/audit')).body.audit).toMatchObject([
      { action: 'question_answered', actor: 'ann', summary: 'PostgreSQL: It scales' },
      { action: 'question_asked', summary: 'Which database?' },
    ])
  })

  test('and a form with values', async () => {
    const it = testApp()
    const { answer } = await waiting(it, 'a', { ask: { schema }, id: 'form' })
    expect(await answer({ values: { port: 10 } })).toMatchObject(invalid('Field "port" must be at most 9.'))
    expect(await answer({ answers: { port: '1' } })).toMatchObject(invalid(/`values`, not `answers`/))
    expect((await answer({ values: { port: 9 } })).status).toBe(200)
    expect(await resultsOf(it, 'a')).toEqual([{ values: { port: 9 } }])
  })

  test.each<[string, object, ReturnType<typeof invalid> | { status: number; body: object }]>([
    ['an unknown option', { answers: { db: 'Oracle' } }, invalid('"Oracle" is not an option of question "db".')],
    ['an unknown question', { answers: { db: 'SQLite', x: 'y' } }, invalid('There is no question "x"')],
    [
      'a question of the prototype',
      { answers: { db: 'SQLite', constructor: 'y' } },
      invalid('no question "constructor"'),
    ],
    ['no answer to a question', { answers: {} }, invalid('Question "db" has no answer.')],
    ['two answers to a single choice', { answers: { db: ['SQLite', 'PostgreSQL'] } }, invalid('takes one answer')],
    ['a number', { answers: { db: 5 } }, invalid('"db" must be a text')],
    ['values', { values: { db: 'SQLite' } }, invalid('`answers`, not `values`')],
    ['both', { answers: { db: 'SQLite' }, values: {} }, invalid('`answers`, not `values`')],
    ['a label of 10,000 characters', { answers: { db: 'x'.repeat(10_000) } }, invalid(/^"x{80}…" is not an option/)],
    ['neither', {}, { status: 400, body: { error: 'The body has neither `answers` nor `values`.' } }],
    ['a list', { answers: ['SQLite'] }, { status: 400, body: { field: 'answers' } }],
  ])('stays open after %s', async (_name, body, refusal) => {
    const it = testApp()
    const { approvalId, answer } = await waiting(it, 'a')
    expect(await answer(body, 'answer', { 'idempotency-key': 'k' })).toMatchObject(refusal)
    expect(await openOf(it, 'a')).toMatchObject([{ id: approvalId }])
    expect((await answer({ answers: { db: 'SQLite' } }, 'answer', { 'idempotency-key': 'k' })).status).toBe(200)
  })

  test('once: the same again gets the same reply, and another answer is a 409', async () => {
    const it = testApp()
    const { answer } = await waiting(it, 'a')
    const same = { answers: { db: 'SQLite' }, actor: 'ann' }
    const reply = await answer(same)
    expect((await answer(same)).body).toMatchObject({ ok: true, decision: 'approved' })
    expect(reply.status).toBe(200)
    const settled = { status: 409, body: { error: { type: 'conflict' }, decision: 'approved', decidedBy: 'ann' } }
    expect(await answer({ answers: { db: 'PostgreSQL' } })).toMatchObject(settled)
    expect(await answer({}, 'reject')).toMatchObject(settled)
    const keyed = await waiting(it, 'b')
    const first = await keyed.answer(same, 'answer', { 'idempotency-key': 'k' })
    expect((await keyed.answer(same, 'answer', { 'idempotency-key': 'k' })).body).toEqual(first.body)
  })

  test('by one of two clients that answer at the same moment', async () => {
    const it = testApp()
    for (const id of ['a', 'b', 'c']) {
      const { answer } = await waiting(it, id)
      const options = ['SQLite', 'PostgreSQL']
      const replies = await Promise.all(options.map((label) => answer({ answers: { db: label } })))
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
      const won = options[replies.findIndex(({ status }) => status === 200)]
      expect(await resultsOf(it, id)).toEqual([{ answers: { db: won } }])
    }
  })

  test('not in another session, and not where there is no question', async () => {
    const it = testApp()
    const question = await waiting(it, 'a')
    const call = await waiting(it, 'b', { approve: 'write', id: 'w' })
    const later = await waiting(it, 'c', { text: 'x' }, db)
    const given = { answers: { db: 'SQLite' } }
    expect(later.approvalId).not.toBe(question.approvalId)
    expect((await it.post(`/sessions/c/approvals/${question.approvalId}/answer`, given)).status).toBe(404)
    expect((await it.post(`/sessions/nobody/approvals/${question.approvalId}/answer`, given)).status).toBe(404)
    const refused = { status: 400, body: { error: 'The approval is not a question: approve or reject it.' } }
    expect(await call.answer(given)).toMatchObject(refused)
    expect(await call.answer(given, 'approve')).toMatchObject(refused)
    for (const id of ['a', 'b', 'c']) expect(await openOf(it, id)).toHaveLength(1)
  })

  test('with a credential that may approve, and with a pause one that may operate', async () => {
    const tokens = [{ token: 'all' }, { token: 'works', scopes: ['observe', 'operate'] }] as const
    const it = testApp({ tokens: [...tokens, { token: 'answers', scopes: ['observe', 'approve'] }] })
    const as = (token: string) => ({ authorization: `Bearer ${token}` })
    await it.post('/agents/scripted/a', scriptBody(db), { ...as('all'), prefer: 'respond-async' })
    const open = async () => ((await it.get('/sessions/a', as('all'))).body.approvals ?? []) as { id: string }[]
    await vi.waitFor(async () => expect(await open()).toHaveLength(1))
    const path = `/sessions/a/approvals/${(await open())[0]?.id}/answer`
    const given = { answers: { db: 'SQLite' } }
    const forbidden = { status: 403, body: { error: { type: 'forbidden' } } }
    expect(await it.post(path, given, as('works'))).toMatchObject(forbidden)
    expect(await it.post(path, { ...given, pause: true }, as('answers'))).toMatchObject(forbidden)
    expect((await it.post(path, given, as('answers'))).status).toBe(200)
  })
})

describe('[H198] the other two decisions', () => {
  test('approve gives the default, and takes an answer', async () => {
    const it = testApp()
    const byDefault = await waiting(it, 'a', { ...db, default: 'SQLite' })
    expect((await byDefault.answer({}, 'approve')).status).toBe(200)
    expect(await resultsOf(it, 'a')).toEqual([{ answers: { db: 'SQLite' } }])
    const given = await waiting(it, 'b', { ...db, default: 'SQLite' })
    expect((await given.answer({ answers: { db: 'PostgreSQL' } }, 'approve')).status).toBe(200)
    expect(await resultsOf(it, 'b')).toEqual([{ answers: { db: 'PostgreSQL' } }])
  })

  test('approve without a default names the route that answers', async () => {
    const it = testApp()
    const { answer } = await waiting(it, 'a')
    expect(await answer({}, 'approve')).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching('/answer') },
    })
    expect((await answer({ args: { answers: { db: 'SQLite' } } }, 'approve')).status).toBe(400)
    expect(await openOf(it, 'a')).toHaveLength(1)
  })

  test('reject declines', async () => {
    const it = testApp()
    const { answer } = await waiting(it, 'a', { ...db, default: 'SQLite' })
    expect(await answer({ reason: 'no' }, 'reject')).toMatchObject({ status: 200, body: { decision: 'denied' } })
    expect(await resultsOf(it, 'a')).toEqual([null])
  })
})

describe('[H199] a question is shown', () => {
  test('in the inbox, in its session and in the timeline, with its answer once it is settled', async () => {
    const it = testApp()
    const { approvalId, answer } = await waiting(it, 'a', { ...db, default: 'SQLite' })
    const asked = {
      kind: 'question',
      questions: [{ id: 'db', question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }],
      default: { db: 'SQLite' },
    }
    expect((await it.get('/approvals')).body.approvals).toMatchObject([{ id: approvalId, reason: db.ask, ...asked }])
    expect((await it.get('/sessions/a')).body.approvals).toMatchObject([{ id: approvalId, ...asked }])
    expect((await it.get('/agents/scripted/a')).body.approvals).toMatchObject([{ status: 'pending', ...asked }])
    await answer({ answers: { db: 'PostgreSQL' } })
    await resultsOf(it, 'a')
    const settled = { id: approvalId, status: 'approved', ...asked, answers: { db: 'PostgreSQL' } }
    expect((await it.get('/approvals?status=decided')).body.approvals).toMatchObject([settled])
    expect((await it.get('/agents/scripted/a')).body.approvals).toMatchObject([settled])
    expect((await it.get('/sessions/a')).body.messages).toMatchObject([
      { role: 'user' },
      { toolCalls: [{ id: 'db', approval: { status: 'approved', answers: { db: 'PostgreSQL' } } }] },
    ])
  })

  test('as the asker wrote it', async () => {
    const labels = ['\u202eevil', '<b onclick="x">', '\n'.repeat(80).concat('end'), '\u0000', '__proto__']
    const it = testApp()
    const { answer } = await waiting(it, 'a', {
      ...{ ask: `<script>${'x'.repeat(10_000)}</script>`, id: 'evil', options: labels, multi_select: true },
    })
    const [shown] = (await it.get('/sessions/a')).body.approvals as { questions: { options: object[] }[] }[]
    expect(shown?.questions[0]?.options).toEqual(labels.map((label) => ({ label })))
    expect((await answer({ answers: { evil: labels } })).status).toBe(200)
    expect(await resultsOf(it, 'a')).toEqual([{ answers: { evil: labels } }])
  })
})

/** Asks two questions at once, and reports the answer to each as its result. */
const twoQuestionsRunner = (): Runner => {
  const waiters = new Map<string, (answer: ApprovalAnswer) => void>()
  return {
    start: async (job, reporter) => {
      await reporter.report([{ type: 'started' }])
      const asked = ['one', 'two'].map(async (name): Promise<void> => {
        const args = { questions: [{ id: name, question: `${job.key.id} ${name}?`, allow_free_text: true }] }
        const call = { toolCallId: name, tool: 'ask', arguments: args, reason: `${name}?` }
        const payload = { name: 'ask', arguments: args, tool_call_id: name, effect: 'pure' } as const
        const answer = new Promise<ApprovalAnswer>((resolve) => waiters.set(`${job.key.id} ${name}`, resolve))
        await reporter.report([
          { type: 'event', event: { type: 'tool_call', payload } },
          await questionReport(digest, call, parseQuestions(args) as QuestionRequest),
        ])
        const { arguments: answered } = await answer
        const outcome = {
          tool_call_id: name,
          tool_name: 'ask',
          status: 'ok',
          outcome_type: 'ToolExecutionResult',
        } as const
        const result = { answers: answered.answers ?? null }
        await reporter.report([
          { type: 'event', event: { type: 'tool_outcome', payload: { ...outcome, elapsed_ms: 0, result } } },
        ])
      })
      await Promise.all(asked)
      await reporter.report([{ type: 'finished' }])
      return 'done'
    },
    attach: async (): Promise<RunEnd> => 'lost',
    abort: async () => null,
    answer: async (job, answer) => waiters.get(`${job.key.id} ${answer.toolCallId}`)?.(answer),
  }
}

test('[S70] [W28] [T33] three sessions with two questions each are answered in the wrong order, each from another wire', async () => {
  const it = testApp({}, { asks: twoQuestionsRunner() })
  const ids = ['http', 'socket', 'transport']
  for (const id of ids) await it.post(`/agents/asks/${id}`, { prompt: 'go' }, { prefer: 'respond-async' })
  for (const id of ids) await vi.waitFor(async () => expect(await openOf(it, id)).toHaveLength(2))
  const approvalOf = async (id: string, name: string) =>
    (await openOf(it, id)).find(({ toolCallId }) => toolCallId === name)?.id ?? ''
  const fabric = await socketClient(it, '/sessions/socket/ws?agent=asks')
  const transport = await socketClient(it, '/ws?sessionId=transport&agent=asks')

  for (const name of ['two', 'one']) {
    const answersOf = (id: string) => ({ answers: { [name]: `${id} says ${name}` } })
    const wrong = { answers: { other: 'x' } }
    const asApprove = async (id: string, given: object, commandId: string) => ({
      ...{ type: 'approve', approvalId: await approvalOf(id, name), decision: 'approved', commandId, ...given },
    })
    const commands = async (given: object, commandId: string) => ({
      ...{ type: 'commands', commands: [await asApprove('transport', given, commandId)] },
    })
    expect(await transport.say(await commands(wrong, `${name}-x`), `${name}-x`)).toMatchObject({
      ...{ ok: false, code: 'invalid_answer', message: expect.stringMatching('There is no question "other"') },
    })
    expect(await transport.say(await commands(answersOf('transport'), name), name)).toMatchObject({ ok: true })
    expect(await fabric.say(await asApprove('socket', wrong, `${name}-x`), `${name}-x`)).toMatchObject({
      ...{ ok: false, message: expect.stringMatching('There is no question "other"') },
    })
    expect(await fabric.say(await asApprove('socket', answersOf('socket'), name), name)).toMatchObject({ ok: true })
    const path = `/sessions/http/approvals/${await approvalOf('http', name)}/answer`
    expect((await it.post(path, answersOf('http'))).status).toBe(200)
  }
  for (const id of ids)
    expect(await resultsOf(it, id, 'asks')).toEqual(
      ['one', 'two'].map((name) => ({ answers: { [name]: `${id} says ${name}` } })),
    )
  const resolved = fabric.heard.flatMap(({ event }) => {
    const { type, data } = (event ?? {}) as { type?: string; data?: JsonObject }
    return type === 'approval_resolved' ? [data?.answers] : []
  })
  expect(resolved).toEqual([{ two: 'socket says two' }, { one: 'socket says one' }])
})
