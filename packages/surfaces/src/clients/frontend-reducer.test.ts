import { HANDLED_EVENT_TYPES, reduceFrontend } from '@bridle/client/frontend/reducer'
import { emptyFrontendState, type FrontendState } from '@bridle/client/frontend/state'
import { STREAM_EVENT_TYPES } from '@bridle/events/catalogue'
import type { StreamEnvelope } from '@bridle/wire/frontend/wire'
import { describe, expect, test } from 'vitest'
import { readEnvelopes, scriptPrompt } from '../frontend/frontend.suite.ts'
import { testApp } from '../http/test-app.suite.ts'

test('[F2] what is handled is what /stream-events names, in lock-step', async () => {
  const { body } = await testApp().get('/stream-events')
  expect(HANDLED_EVENT_TYPES.toSorted()).toEqual((body.types as string[]).toSorted())
  expect(HANDLED_EVENT_TYPES.toSorted()).toEqual(STREAM_EVENT_TYPES.toSorted())
})

let seq = 0
const said = (type: string, payload: object, more: object = {}): StreamEnvelope =>
  ({
    type,
    payload,
    seq: ++seq,
    session_id: 's1',
    timestamp: '2026-01-01T00:00:00.000Z',
    turn_id: 'r-2',
    attempt: 1,
    ...more,
  }) as unknown as StreamEnvelope
const fold = (...envelopes: StreamEnvelope[]): FrontendState => envelopes.reduce(reduceFrontend, emptyFrontendState)
const call = (id: string, name = 'search') => said('tool_call', { name, arguments: { q: id }, tool_call_id: id })
const outcome = (id: string, status: string, name = 'search') =>
  said('tool_outcome', { tool_call_id: id, tool_name: name, outcome_type: 'x', status })

describe('the reducer', () => {
  test('calls of one name are told apart by their ids', () => {
    const state = fold(call('a'), call('b'), outcome('b', 'ok'), outcome('a', 'error'))
    expect(state.turns[0]?.tools.map(({ toolCallId, status }) => [toolCallId, status])).toEqual([
      ['a', 'error'],
      ['b', 'ok'],
    ])
  })

  test('an id that is used again is another call', () => {
    const state = fold(call('a'), outcome('a', 'error'), call('a'), outcome('a', 'ok'))
    expect(state.turns[0]?.tools.map(({ status }) => status)).toEqual(['error', 'ok'])
  })

  test('[E6] a call that was approved with other arguments shows those', () => {
    const answered = (more: object) =>
      said('approval_applied', { request_id: 'apr-1', tool_call_id: 'a', tool_name: 'search', ...more })
    const shown = (more: object) => fold(call('a'), answered(more)).turns[0]?.tools[0]?.arguments
    expect(shown({})).toEqual({ q: 'a' })
    expect(shown({ arguments: { q: 'b' } })).toEqual({ q: 'b' })
  })

  test('[F11] a branch from an open approval has neither the question nor the turn to wait for', () => {
    const asked = { request_id: 'apr-1', tool_call_id: 'a', tool_name: 'search', reason: 'r' }
    const seed = { checkpoint_type: 'resume_seed', status: 'completed', summary_text: 'Branched' }
    const open = [call('a'), said('approval_required', asked)]
    const branch = fold(...open, said('session_checkpoint', seed, { turn_id: undefined }))
    expect(branch).toMatchObject({ approvals: {}, turns: [{ status: 'cancelled' }], checkpoints: [seed] })
    expect(branch.turns[0]?.tools).toMatchObject([{ status: 'error', approval: 'cancelled' }])
    // Only the session itself can say so; of a runner it is a checkpoint like any other.
    expect(fold(...open, said('session_checkpoint', seed)).turns).toMatchObject([{ status: 'running' }])
  })

  test('a retry begins the text anew and marks what was called', () => {
    const again = { attempt: 2 }
    const state = fold(
      said('token', { text: 'Hal' }),
      call('a'),
      outcome('a', 'error'),
      said('token', { text: 'Hello' }, again),
    )
    expect(state.turns).toMatchObject([{ text: 'Hello', attempt: 2, tools: [{ toolCallId: 'a', superseded: true }] }])
  })

  test('[F27] each call has its times, its events, its try, its subagent and its wait', () => {
    const at = (second: number, more: object = {}) => ({ timestamp: `2026-01-01T00:00:0${second}.000Z`, ...more })
    const time = (second: number) => at(second).timestamp
    const asked = { request_id: 'apr-1', tool_call_id: 'b', tool_name: 'edit', reason: 'r' }
    const first = seq + 1
    const state = fold(
      said('tool_call', { name: 'read', arguments: {}, tool_call_id: 'a', effect: 'pure', agent_id: 'sub' }, at(1)),
      said('tool_call', { name: 'edit', arguments: { n: 1 }, tool_call_id: 'b' }, at(1)),
      said('tool_batch', { tool_call_ids: ['a', 'b'] }, at(1)),
      said('approval_required', asked, at(2)),
      said('approval_applied', { ...asked, actor: 'ann', arguments: { n: 2 } }, at(5)),
      said('tool_outcome', { tool_call_id: 'a', tool_name: 'read', outcome_type: 'x', status: 'ok' }, at(6)),
      said('retry_scheduled', { run_id: 'r-2', attempt: 2, due: 0, reason: 'busy' }, at(7)),
      said('tool_call', { name: 'edit', arguments: {}, tool_call_id: 'b' }, at(8, { attempt: 2 })),
      said('turn_end', { turn_id: 'r-2', status: 'cancelled' }, at(9, { attempt: 2 })),
    )
    const wait = { askedAt: time(2), answeredAt: time(5), actor: 'ann', isEdited: true }
    expect(state.turns).toMatchObject([
      {
        startedAt: time(1),
        endedAt: time(9),
        batches: [{ seq: first + 2, toolCallIds: ['a', 'b'] }],
        tools: [
          { seq: first, lastSeq: first + 5, endedAt: time(6), agentId: 'sub', effect: 'pure', wait: null, attempt: 1 },
          { seq: first + 1, lastSeq: first + 4, endedAt: time(7), superseded: true, agentId: null, wait },
          { seq: first + 7, startedAt: time(8), endedAt: time(9), status: 'running', superseded: false, attempt: 2 },
        ],
      },
    ])
  })

  test('[F27] a call that asks a person has its question and the answer', () => {
    const asked = {
      ...{ request_id: 'apr-1', tool_call_id: 'a', tool_name: 'ask', reason: 'Which?', kind: 'question' },
      questions: [{ id: 'db', question: 'Which?', allow_free_text: true }],
    }
    const open = [call('a'), said('approval_required', asked)]
    expect(fold(...open).turns[0]?.tools).toMatchObject([{ approval: 'required', question: { asked, settled: null } }])
    const settled = {
      request_id: 'apr-1',
      tool_call_id: 'a',
      tool_name: 'ask',
      answers: { db: 'SQLite' },
      actor: 'ann',
    }
    expect(fold(...open, said('approval_applied', settled)).turns[0]?.tools).toMatchObject([
      { approval: 'approved', wait: { actor: 'ann', isEdited: false }, question: { asked, settled } },
    ])
  })

  test('[F27] milestones stay when calls have filled the timeline', () => {
    const warning = said('context_warning', { message: 'full' })
    const trouble = said('transport_diagnostic', { status: 'retrying', kind: 'provider_fallback' })
    const calls = Array.from({ length: 1_000 }, (_, n) => call(`c-${n}`))
    const state = fold(warning, trouble, ...calls)
    expect(state.milestones.map(({ type }) => type)).toEqual(['context_warning', 'transport_diagnostic'])
    expect(state.timeline.some(({ type }) => type === 'context_warning')).toBe(false)
    expect(state.turns[0]?.tools).toHaveLength(1_000)
  })

  test('a reflection is told from the thoughts around it', () => {
    const state = fold(said('thinking', { text: 'Look. ' }), said('reflection', { text: 'Too fast.' }))
    expect(state.turns).toMatchObject([{ thinking: 'Look. Too fast.' }])
    expect(state.timeline).toMatchObject([{ type: 'reflection', payload: { text: 'Too fast.' } }])
  })

  test('[F42] text and thoughts that were withdrawn go, settled calls stay, also over a pause', () => {
    const superseded = (keep?: object) =>
      said('output_superseded', { run_id: 'r-2', attempt: 1, ...(keep && { keep }) })
    const thought = (text: string) => said('thinking', { text })
    const envelopes = [
      thought('Look. '),
      said('token', { text: 'One, ' }),
      call('a'),
      outcome('a', 'ok'),
      thought('Then'),
      said('token', { text: 'tw' }),
      superseded({ chars: 5, parts: 3, thinking_chars: 6 }),
      thought('And.'),
      said('token', { text: 'two.' }),
      // A turn that starts over: nothing stays.
      said('token', { text: 'Else' }, { turn_id: 'r-9' }),
      said('output_superseded', { run_id: 'r-9', attempt: 1 }, { turn_id: 'r-9' }),
    ]
    const state = fold(...envelopes)
    expect(state.turns).toMatchObject([
      { text: 'One, two.', thinking: 'Look. And.', tools: [{ toolCallId: 'a', status: 'ok', superseded: false }] },
      { text: '', thinking: '' },
    ])
    expect(state.timeline.filter(({ type }) => type === 'output_superseded')).toHaveLength(2)
    expect(fold(...envelopes, ...envelopes.slice(3))).toEqual(state)
    expect(fold(call('b'), superseded()).turns).toMatchObject([{ tools: [{ toolCallId: 'b', superseded: true }] }])
  })

  test('what was seen already, and what only sounds like the session, changes nothing', () => {
    const envelopes = [said('token', { text: 'a' }), said('token', { text: 'b' })]
    const once = fold(...envelopes)
    expect(fold(...envelopes, ...envelopes)).toEqual(once)
    const hearsay = said('turn_end', { turn_id: 'r-2', status: 'failed' }, { hearsay: true })
    expect(reduceFrontend(once, hearsay).turns).toBe(once.turns)
    const unknown = said('from_the_future', {})
    expect(reduceFrontend(once, unknown).diagnostics.at(-1)?.type).toBe('from_the_future')
  })

  test('a reset, or another session, starts again', () => {
    const state = fold(said('token', { text: 'a' }))
    const hello = said('session', { session_id: 's1', reset: true }, { seq: 0 })
    expect(reduceFrontend(state, hello)).toEqual({ ...emptyFrontendState, sessionId: 's1' })
  })
})

test('[F27] folds a whole turn of every kind of event, live or resumed at any place', async () => {
  const it = testApp()
  await it.post('/chat/sessions', { session_id: 's1', engine: 'scripted' })
  const say = (type: string, payload: object) => ({ event: { type, payload } })
  const prompt = scriptPrompt(
    { thinking: 'hm' },
    say('hook_event', { hook: 'pre', phase: 'before' }),
    say('transport_diagnostic', { status: 'degraded', kind: 'provider_fallback' }),
    say('subagent_event', { agent_id: 'sub', status: 'completed' }),
    say('context_warning', { message: 'full', usage_pct: 91 }),
    say('context_compacted', { original_count: 24, compacted_count: 10, tokens_saved: 4200 }),
    say('step_progress', { step_id: 'one', status: 'completed' }),
    say('retrieval', { citations: [1] }),
    say('antahkarana', { trace_id: 't', confidence: 0.5 }),
    { checkpoint: 'half' },
    ...['ok', 'timeout', 'error', 'denied', 'artifact'].map((status, n) => ({
      tool: 'local_search',
      id: `call-${n}`,
      outcome: status,
      ...(status === 'artifact' && { result: 'x'.repeat(12_001) }),
    })),
    { approve: 'write_file', id: 'w', expiresMs: 1 },
    { usage: { total_tokens: 7, cost_usd: 0.5 } },
    { text: 'Done.', chunks: 2 },
  )
  const frames = await readEnvelopes(it, '/chat/sessions/s1/turns', undefined, {
    method: 'POST',
    body: { prompt },
    headers: { accept: 'text/event-stream' },
  })
  const envelopes = frames.map(({ data }) => data as unknown as StreamEnvelope)
  const state = envelopes.reduce(reduceFrontend, emptyFrontendState)
  expect(state).toMatchObject({
    sessionId: 's1',
    turns: [
      {
        status: 'completed',
        text: 'Done.',
        thinking: 'hm',
        tools: [
          ...['ok', 'timeout', 'error', 'denied', 'artifact'].map((status, n) => ({ toolCallId: `call-${n}`, status })),
          { toolCallId: 'w', status: 'denied', approval: 'expired' },
        ],
      },
    ],
    approvals: {},
    checkpoints: [{ summary_text: 'half' }],
    subagents: { sub: { status: 'completed' } },
    steps: [{ step_id: 'one' }],
    guardrail: { trace_id: 't' },
    context: { compactions: 1 },
    usage: { tokens: 7, costUsd: 0.5 },
  })
  const kinds = (entries: FrontendState['timeline']) => new Set(entries.map(({ type }) => type))
  expect([...kinds(state.timeline)]).toEqual(expect.arrayContaining(['context_warning', 'context_compacted']))
  expect([...kinds(state.diagnostics)]).toEqual(
    expect.arrayContaining([
      'policy_decision',
      'hook_event',
      'sandbox_notice',
      'transport_diagnostic',
      'subagent_event',
      'usage',
    ]),
  )
  for (let cut = 1; cut < envelopes.length; cut += 5) {
    const seen = envelopes.slice(0, cut).reduce(reduceFrontend, emptyFrontendState)
    expect(envelopes.slice(Math.max(0, cut - 3)).reduce(reduceFrontend, seen)).toEqual(state)
  }
})
