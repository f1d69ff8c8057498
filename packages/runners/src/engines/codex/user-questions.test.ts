import type { JsonObject } from '@bridle/events/json'
import { describe, expect, test } from 'vitest'
import type { EngineApprovalDecision, EngineApprovalRequest } from '../engine.ts'
import { denyRule, RecordingTurn } from '../recording-turn.suite.ts'
import { answerServerRequest } from './approvals.ts'
import { newTurnState } from './events/turn-state.ts'

const given =
  (more: object) =>
  ({ input }: EngineApprovalRequest) =>
    ({ decision: 'approved', input, given: more }) as EngineApprovalDecision
const send = async (method: string, params: JsonObject, turn: RecordingTurn, seen = newTurnState('t')) => ({
  answer: await answerServerRequest({ id: 1, method, params }, seen, turn),
  ...{ turn, seen },
})

describe('[R29] request_user_input', () => {
  const option = (label: string) => ({ label, description: `About ${label}.` })
  const db = {
    ...{ id: 'db', header: 'Database', question: 'Which?', isOther: false, isSecret: false },
    options: [option('SQLite'), option('PostgreSQL')],
  }
  const ask = (questions: JsonObject[], turn: RecordingTurn) =>
    send('item/tool/requestUserInput', { itemId: 'c', questions, isBlocking: false, autoResolutionMs: null }, turn)
  const text = (answers: string[]) => ({ answers })

  test('is a call with a question, and an option is its answer', async () => {
    const { answer, turn } = await ask([db], new RecordingTurn(given({ answers: { db: 'SQLite' } })))
    expect(answer).toEqual({ answers: { db: text(['SQLite']) } })
    expect(turn.asked).toMatchObject([
      {
        ...{ toolUseId: 'c', toolName: 'request_user_input', reason: 'Which?' },
        question: { questions: [{ id: 'db', header: 'Database', question: 'Which?', options: db.options }] },
      },
    ])
    expect(turn.events.map(({ type }) => type)).toEqual(['tool.started', 'tool.completed'])
    expect(turn.of('tool.completed')).toMatchObject([
      { outcome: { status: 'ok', result: { answers: { db: 'SQLite' } } } },
    ])
  })

  test('a text of the person’s own is a note', async () => {
    const open = { id: 'name', header: 'Name', question: 'Name?', isOther: false, options: null }
    const answers = { answers: { db: 'Neither.', name: 'Ada' } }
    const { answer, turn } = await ask([{ ...db, isOther: true }, open], new RecordingTurn(given(answers)))
    expect(turn.asked[0]?.question?.questions?.map(({ allow_free_text: free }) => free)).toEqual([true, true])
    expect(answer).toEqual({ answers: { db: text(['user_note: Neither.']), name: text(['user_note: Ada']) } })
  })

  test('ids that cannot be ours are mapped back', async () => {
    const questions = ['which db?', 'which db? '].map((id) => ({ ...db, id }))
    const { answer } = await ask(questions, new RecordingTurn(given({ answers: { q1: 'SQLite', q2: 'PostgreSQL' } })))
    expect(answer).toEqual({ answers: { 'which db?': text(['SQLite']), 'which db? ': text(['PostgreSQL']) } })
  })

  test('one that is declined says so, and is not empty', async () => {
    const { answer, turn } = await ask([db], new RecordingTurn(denyRule('The user declined to answer.')))
    expect(answer).toEqual({ answers: { db: text(['The user declined to answer.']) } })
    expect(turn.of('tool.completed')).toMatchObject([
      { outcome: { status: 'denied', reason: 'The user declined to answer.' } },
    ])
  })

  test.each<[string, JsonObject]>([
    ['a secret', { ...db, isSecret: true }],
    ['a question without a text', { ...db, question: '' }],
  ])('[R30] %s is refused with the reason, and a notice is in the log', async (_name, question) => {
    const { answer, turn } = await ask([question], new RecordingTurn())
    expect(answer).toEqual({ answers: { db: text([expect.stringMatching(/^The question was not asked\. \S/)]) } })
    expect(turn.asked).toEqual([])
    expect(turn.of('context.warning')).toMatchObject([{ kind: 'question_refused' }])
  })
})

describe('[R32] a request of an MCP server', () => {
  const form = {
    ...{ serverName: 'maps', mode: 'form', message: 'Where to?' },
    requestedSchema: { type: 'object', properties: { city: { type: 'string' } } },
  }
  const elicit = (params: JsonObject, turn: RecordingTurn, seen = newTurnState('t')) =>
    send('mcpServer/elicitation/request', params, turn, seen)
  const accepted = (content: object | null) => ({ action: 'accept', content, _meta: null })

  test.each<[string, JsonObject, RecordingTurn, JsonObject]>([
    ['a form', form, new RecordingTurn(given({ values: { city: 'Rome' } })), accepted({ city: 'Rome' })],
    [
      'a form that the session refuses',
      form,
      new RecordingTurn(() => ({ decision: 'denied', reason: 'Too many approvals are open.', isRefused: true })),
      { action: 'cancel', content: null, _meta: null },
    ],
    [
      'a form by another name',
      { ...form, mode: 'openai/form' },
      new RecordingTurn(given({ values: {} })),
      accepted({}),
    ],
    [
      'a link',
      { serverName: 'maps', mode: 'url', message: 'Sign in', url: 'https://example.com' },
      new RecordingTurn(given({ answers: { q1: 'Continue' } })),
      accepted(null),
    ],
    ['declined', form, new RecordingTurn(denyRule('No.')), { action: 'decline', content: null, _meta: null }],
    ['approved without an answer', form, new RecordingTurn(), { action: 'decline', content: null, _meta: null }],
    [
      'that cannot be shown',
      { ...form, requestedSchema: { type: 'object' } },
      new RecordingTurn(),
      { action: 'cancel', content: null, _meta: null },
    ],
  ] as [string, JsonObject, RecordingTurn, JsonObject][])('%s', async (_name, params, turn, expected) =>
    expect((await elicit(params, turn)).answer).toEqual(expected),
  )

  test('names its server, and is no approval of the call that it works on', async () => {
    const { turn } = await elicit(form, new RecordingTurn(denyRule('No.')))
    expect(turn.asked).toMatchObject([
      { toolName: 'mcp.elicitation', reason: 'The MCP server "maps" asks: Where to?', input: { server: 'maps' } },
    ])
    expect(turn.asked[0]?.toolUseId).toMatch(/^elicitation-[0-9a-f-]{36}$/)
  })

  test('for leave to call a tool is the approval of that call', async () => {
    const input = { city: 'Rome' }
    const asks = {
      ...{
        serverName: 'maps',
        mode: 'form',
        message: 'Allow it?',
        requestedSchema: { type: 'object', properties: {} },
      },
      _meta: { codex_approval_kind: 'mcp_tool_call', tool_params: input },
    }
    const state = () => {
      const seen = newTurnState('t')
      seen.openCalls.set('other', { name: 'mcp__maps__find', input: {}, background: false })
      seen.openCalls.set('c', { name: 'mcp__maps__find', input, background: false })
      return seen
    }
    const allowed = await elicit(asks, new RecordingTurn(), state())
    expect(allowed.answer).toEqual(accepted({}))
    expect(allowed.turn.asked).toEqual([
      { toolUseId: 'c', toolName: 'mcp__maps__find', input, reason: 'Allow it?', fixed: true },
    ])
    const refused = await elicit(asks, new RecordingTurn(denyRule('No.')), state())
    expect(refused.answer).toEqual({ action: 'decline', content: null, _meta: null })
    expect([...refused.seen.denials]).toEqual([['c', 'No.']])
  })
})
