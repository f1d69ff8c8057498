import { STUCK_MS } from '@bridle/events/limits'
import type { Payloads, Policy, SessionStatus } from '@bridle/events/schemas'
import { describe, expect, test } from 'vitest'
import type { AnyEvent } from '../../event.ts'
import { fold } from '../projection.ts'
import { newlyCrossedBudgets, nextHealthChangeAt } from './budgets.ts'
import { healthFold, withActivity } from './health.ts'
import { assessHealth } from './health-score.ts'
import type { HealthFold } from './health-state.ts'

const T = 1_000_000
const fine = healthFold.initial
const given = (more: Partial<HealthFold>): HealthFold => ({ ...fine, activeAt: T, ...more })
let seq = 0
const event = <E extends keyof Payloads>(type: E, payload: Payloads[E], at = T): AnyEvent =>
  ({ seq: ++seq, at, type, payload, run: 'r', attempt: 1 }) as unknown as AnyEvent
const folded = (...events: AnyEvent[]) => events.reduce((state, each) => fold(healthFold, state, each), fine)
const call = (args: object, id: string) =>
  event('tool_call', { name: 'x', arguments: { ...args, _tool_call_id: id }, tool_call_id: id })
const fellBack = event('transport_diagnostic', {
  ...{ status: 'degraded', kind: 'provider_fallback', reason: 'down', model_index: 1 },
})
const retrying = event('transport_diagnostic', { status: 'retrying', kind: 'model', reason: 'busy', model_index: 1 })
const step = (model_index: number) =>
  event('model_step', { step: 1, model: 'm', model_index, content: [], finish: 'stop' })
const ended = (status: 'ok' | 'error' | 'timeout' | 'denied', elapsed_ms?: number) =>
  event('tool_outcome', {
    tool_call_id: 'c',
    tool_name: 'x',
    outcome_type: 'ToolFailure',
    status,
    ...(elapsed_ms !== undefined && { elapsed_ms }),
  })

describe('[S27] the score', () => {
  test.each<[string, HealthFold, SessionStatus, number, number, string[], string | null]>([
    ['fine', given({}), 'running', T, 100, [], null],
    ['failed', given({}), 'failed', T, 60, [], 'send the prompt again, or branch from an earlier point'],
    ['silent, not yet stuck', given({}), 'running', T + STUCK_MS - 1, 100, [], null],
    ['stuck', given({ runningSince: T }), 'running', T + STUCK_MS, 70, ['stuck'], 'cancel or pause the run'],
    ['silent while its run waits', given({ runningSince: null }), 'running', T + STUCK_MS, 100, [], null],
    ['silent but paused', given({}), 'paused', T + STUCK_MS, 100, [], null],
    [
      'over budget, and nobody is asked',
      given({ crossed: { max_cost_usd: 1 } }),
      'paused',
      T,
      80,
      ['budget'],
      'resume to grant more budget, raise the policy or cancel',
    ],
    [
      'over budget',
      given({ crossed: { max_cost_usd: 1 } }),
      'awaiting_approval',
      T,
      80,
      ['budget', 'waiting'],
      'approve more budget or cancel',
    ],
    ['waiting', given({}), 'awaiting_approval', T, 100, ['waiting'], 'answer the approval'],
    ['degraded', given({ degraded: 'fallback' }), 'running', T, 85, ['degraded'], null],
    ['one retry', given({ retries: 1 }), 'running', T, 90, [], null],
    ['two retries', given({ retries: 2 }), 'running', T, 80, ['degraded'], null],
    ['many retries', given({ retries: 9 }), 'running', T, 70, ['degraded'], null],
    ['failed calls', given({ failedTools: 2 }), 'running', T, 90, [], null],
    ['many failed calls', given({ failedTools: 50 }), 'running', T, 70, [], null],
    ['loops', given({ loopWarnings: 1 }), 'running', T, 90, [], null],
    ['many loops', given({ loopWarnings: 9 }), 'running', T, 80, [], null],
    ['plans', given({ repeatedPlans: 2 }), 'running', T, 96, [], null],
    ['many plans', given({ repeatedPlans: 99 }), 'running', T, 90, [], null],
    ['a full context', given({ contextPct: 90 }), 'running', T, 90, ['degraded'], 'compact or branch'],
    ['a context nearly full', given({ contextPct: 89.9 }), 'running', T, 100, [], null],
    [
      'everything',
      given({
        crossed: { max_cost_usd: 1 },
        degraded: 'x',
        retries: 9,
        failedTools: 9,
        loopWarnings: 9,
        repeatedPlans: 9,
        contextPct: 100,
      }),
      'failed',
      T,
      0,
      ['budget', 'degraded'],
      'send the prompt again, or branch from an earlier point',
    ],
  ])('%s', (_name, state, status, now, score, flags, hint) => {
    expect(assessHealth(state, status, now)).toMatchObject({ score, flags, hint, reasons: expect.any(Array) })
    expect(assessHealth(state, status, now).reasons.length > 0).toBe(score < 100 || flags.length > 0)
  })

  test('background work that failed has ended: the advice is a branch alone', () => {
    expect(assessHealth(given({}), 'failed', T, [], 'background')).toEqual({
      ...assessHealth(given({}), 'failed', T),
      hint: 'branch from it to go on',
      findings: [expect.objectContaining({ subject: 'failed', hint: 'branch from it to go on' })],
    })
  })

  test('holds no ages: later is the same, until something changes', () => {
    const state = given({ retries: 1, failedTools: 1 })
    for (const status of ['running', 'awaiting_approval', 'paused', 'failed'] as const)
      expect(assessHealth(state, status, T + STUCK_MS - 1)).toEqual(assessHealth(state, status, T))
    expect(assessHealth(state, 'running', T + 10 * STUCK_MS)).toEqual(assessHealth(state, 'running', T + STUCK_MS))
  })
})

describe('what is counted', () => {
  test.each<[string, HealthFold, Partial<HealthFold>]>([
    [
      'usage adds up',
      folded(
        event('usage', { input_tokens: 1, output_tokens: 2, cost_usd: 0.5 }),
        event('usage', { total_tokens: 10, cost_usd: 0.25 }),
      ),
      { tokens: 13, costUsd: 0.75 },
    ],
    [
      'the context is the last word on it',
      folded(event('usage', { context_usage_pct: 40 }), event('context_warning', { usage_pct: 95 })),
      { contextPct: 95 },
    ],
    [
      'until it is compacted',
      folded(
        event('context_warning', { usage_pct: 95 }),
        event('context_compacted', { original_count: 1, compacted_count: 1 }),
      ),
      { contextPct: 0 },
    ],
    [
      'failed and timed out calls, not denied ones',
      folded(ended('error'), ended('timeout'), ended('denied'), ended('ok')),
      { failedTools: 2 },
    ],
    ['the slowest call', folded(ended('ok', 5), ended('ok', 50), ended('ok', 7)), { slowestToolMs: 50 }],
    [
      'three equal calls in a row are a loop',
      folded(call({ a: 1 }, '1'), call({ a: 1 }, '2'), call({ a: 1 }, '3')),
      { loopWarnings: 1 },
    ],
    [
      'whatever their ids and the order of their arguments',
      folded(call({ a: 1, b: 2 }, '1'), call({ b: 2, a: 1 }, '2'), call({ a: 1, b: 2 }, '3')),
      { loopWarnings: 1 },
    ],
    [
      'other calls between them are none',
      folded(call({ a: 1 }, '1'), call({ a: 1 }, '2'), call({ a: 2 }, '3'), call({ a: 1 }, '4')),
      { loopWarnings: 0 },
    ],
    [
      'nor is a new turn',
      folded(
        call({ a: 1 }, '1'),
        call({ a: 1 }, '2'),
        event('turn_start', { turn_id: 'r', prompt: 'p' }),
        call({ a: 1 }, '3'),
      ),
      { loopWarnings: 0 },
    ],
    ['a loop warning', folded(event('context_warning', { kind: 'loop' })), { loopWarnings: 1 }],
    [
      '[N89] a loop warning about a call that was counted',
      folded(
        ...['1', '2', '3'].map((id) => call({ a: 1 }, id)),
        event('context_warning', { kind: 'loop', tool_call_id: '3' }),
      ),
      { loopWarnings: 1 },
    ],
    [
      'the same plan again',
      folded(
        event('step_progress', { plan: [1] }),
        event('step_progress', { plan: [1] }),
        event('step_progress', { plan: [2] }),
        event('step_progress', {}),
      ),
      { repeatedPlans: 1 },
    ],
    ['an answer from nothing', folded(event('response', { text: 'x' })), { withoutEvidence: 1 }],
    [
      'text in pieces, and the whole of it, is one event',
      folded(event('token', { text: 'x' }), event('token', { text: 'y' }), event('response', { text: 'xy' })),
      { withoutEvidence: 1 },
    ],
    [
      'thinking, calls and failures that show nothing',
      folded(
        event('thinking', { text: 'a' }),
        event('thinking', { text: 'b' }),
        call({}, 'c'),
        ended('error'),
        call({ a: 1 }, 'd'),
      ),
      { withoutEvidence: 4 },
    ],
    ...(
      [
        ['a result', ended('ok')],
        ['a citation', event('retrieval', {})],
        [
          'an artifact',
          event('artifact_published', { artifact_id: 'a', name: 'a', content_type: 't', size: 1, chunks: 1 }),
        ],
        [
          'a checkpoint',
          event('session_checkpoint', { checkpoint_type: 'step', status: 'completed', summary_text: 's' }),
        ],
      ] as const
    ).map(
      ([name, shows]) =>
        [
          `${name} is evidence`,
          folded(call({}, 'c'), event('thinking', { text: 'a' }), shows),
          { withoutEvidence: 0 },
        ] as [string, HealthFold, Partial<HealthFold>],
    ),
    [
      'records of the turn are none',
      folded(
        call({}, 'c'),
        event('artifact_published', {
          artifact_id: 'a',
          name: 'a',
          kind: 'run_record',
          content_type: 't',
          size: 1,
          chunks: 1,
        }),
        event('session_checkpoint', { checkpoint_type: 'turn', status: 'completed', summary_text: 's' }),
      ),
      { withoutEvidence: 1 },
    ],
    ['an answer after a call', folded(ended('ok'), event('response', { text: 'x' })), { withoutEvidence: 0 }],
    [
      'an answer after a lookup',
      folded(event('retrieval', {}), event('response', { text: 'x' })),
      { withoutEvidence: 0 },
    ],
    [
      '[S42] each answer without evidence',
      folded(...Array.from({ length: 4 }, (_, n) => event('response', { text: `${n}` }))),
      { withoutEvidence: 4 },
    ],
    [
      '[S42] an answer and the pieces in which it was streamed are one',
      folded(
        ...['a', 'b'].flatMap((text) => [
          event('token', { text }),
          event('token', { text }),
          event('response', { text }),
        ]),
      ),
      { withoutEvidence: 2 },
    ],
    [
      'evidence is of its turn',
      folded(ended('ok'), event('turn_start', { turn_id: 'r', prompt: 'p' }), event('response', { text: 'x' })),
      { withoutEvidence: 1 },
    ],
    [
      'degraded, and recovered',
      folded(
        event('transport_diagnostic', { status: 'degraded', kind: 'k' }),
        event('transport_diagnostic', { status: 'ok', kind: 'k' }),
      ),
      { degraded: null },
    ],
    [
      '[F32] a provider that is asked again',
      folded(event('transport_diagnostic', { status: 'retrying', kind: 'provider_retry', reason: '529' })),
      { degraded: '529', retrying: true },
    ],
    ...(
      [
        ['token', { text: 'a' }],
        ['thinking', { text: 'a' }],
        ['tool_call', { name: 'x', arguments: {}, tool_call_id: 'c' }],
        ['usage', { total_tokens: 1 }],
        ['turn_end', { turn_id: 'r', status: 'failed' }],
      ] as const
    ).map(([type, payload]): [string, HealthFold, Partial<HealthFold>] => [
      `[F32] a provider that answers again: ${type}`,
      folded(
        event('transport_diagnostic', { status: 'retrying', kind: 'provider_retry', reason: '529' }),
        event(type, payload as never),
      ),
      { degraded: null, retrying: false },
    ]),
    [
      '[F32] an answer does not end a fallback',
      folded(event('transport_diagnostic', { status: 'degraded', kind: 'k' }), event('token', { text: 'a' })),
      { degraded: 'k' },
    ],
    ...(
      [
        ['text', event('token', { text: 'a' }), 'down'],
        ['a step of that model', step(1), 'down'],
        ['the end of the turn', event('turn_end', { turn_id: 'r', status: 'completed' }), 'down'],
        ['a model that is asked again, and answers', [retrying, step(1)], 'down'],
        ['the failure of every model', event('transport_diagnostic', { status: 'failed', kind: 'model' }), 'down'],
        ['a step of the first model', step(0), null],
        ['a diagnostic that says otherwise', event('transport_diagnostic', { status: 'ok', kind: 'p' }), null],
      ] as const
    ).map(([after, events, degraded]): [string, HealthFold, Partial<HealthFold>] => [
      `[F83] another model answers, and then comes ${after}`,
      folded(fellBack, ...[events].flat()),
      { degraded, retrying: false, ...(degraded && { evidenceSeqs: { transport: fellBack.seq } }) },
    ]),
    [
      '[F83] a fallback in an older log',
      folded(event('transport_diagnostic', { status: 'fallback', kind: 'model', reason: 'down' })),
      { degraded: 'down' },
    ],
    [
      '[F33] a text that is said again is no answer without evidence',
      folded(event('response', { text: '', so_far: true }), event('response', { text: 'half', so_far: true })),
      { withoutEvidence: 0 },
    ],
    [
      '[F34] an estimate, and what it really was',
      folded(
        event('usage', { cost_usd: 1 }),
        event('usage', { cost_usd: 0.5, estimated: true }),
        event('usage', { cost_usd: 0.25, estimated: true }),
        event('usage', { cost_usd: -0.5 }),
      ),
      { costUsd: 1.25, estimatedUsd: 0 },
    ],
    [
      '[F34] no more is taken back than was estimated',
      folded(
        event('usage', { cost_usd: 1 }),
        event('usage', { cost_usd: 0.5, estimated: true }),
        event('usage', { cost_usd: -9 }),
      ),
      { costUsd: 1 },
    ],
    [
      'time run, without the rests',
      folded(
        event('run_requested', { run_id: 'r', attempt: 1 }, T),
        event('run_parked', { run_id: 'r', attempt: 1, reason: 'paused', stop: true }, T + 10),
        event('run_requested', { run_id: 'r', attempt: 2 }, T + 1_000),
        event('turn_end', { turn_id: 'r', status: 'completed' }, T + 1_005),
      ),
      { ranMs: 15, runningSince: null },
    ],
    [
      'raised and armed again',
      folded(
        event('budget_crossed', { budget: 'max_cost_usd', limit: 1, value: 2 }),
        event('budget_raised', { budgets: ['max_cost_usd'] }),
        event('budget_crossed', { budget: 'max_cost_usd', limit: 2, value: 3 }),
        event('budget_crossed', { budget: 'max_total_tokens', limit: 2, value: 3 }),
        event('budget_raised', { budgets: ['max_cost_usd', 'max_total_tokens'] }),
      ),
      { crossed: {}, raised: { max_cost_usd: 2, max_total_tokens: 1 } },
    ],
    [
      'a new policy starts anew',
      folded(
        event('budget_crossed', { budget: 'max_cost_usd', limit: 1, value: 2 }),
        event('budget_raised', { budgets: ['max_cost_usd'] }),
        event('policy_set', { policy: {} }),
      ),
      { crossed: {}, raised: {} },
    ],
  ])('%s', (_name, state, expected) => {
    expect(state).toMatchObject(expected)
  })

  test('a sign of life changes the fold at most once a second', () => {
    const state = given({ activeSeq: 1 })
    const type = 'token'
    expect(withActivity(state, { type, seq: 2, at: T + 999, run: 'r' })).toBe(state)
    expect(withActivity(state, { type, seq: 3, at: T + 5_000 })).toBe(state)
    expect(withActivity(state, { type, seq: 4, at: T + 1_000, run: 'r' })).toEqual({
      ...state,
      activeAt: T + 1_000,
      activeSeq: 4,
    })
  })
})

describe('[S28] budgets', () => {
  const policy = { health: { max_cost_usd: 1, min_score: 80 } }
  test.each<[string, Partial<HealthFold>, SessionStatus, object[]]>([
    ['at the limit', { costUsd: 1 }, 'running', []],
    ['above it', { costUsd: 1.5 }, 'running', [{ budget: 'max_cost_usd', limit: 1, value: 1.5 }]],
    ['crossed before', { costUsd: 1.5, crossed: { max_cost_usd: 1 } }, 'running', []],
    ['raised', { costUsd: 2, raised: { max_cost_usd: 1 } }, 'running', []],
    [
      'above what was raised',
      { costUsd: 2.5, raised: { max_cost_usd: 1 } },
      'running',
      [{ budget: 'max_cost_usd', limit: 2, value: 2.5 }],
    ],
    ['a score at its limit', { retries: 2 }, 'running', []],
    ['a score below', { retries: 3 }, 'running', [{ budget: 'min_score', limit: 80, value: 70 }]],
    ['a score below what was granted', { retries: 3, raised: { min_score: 1 } }, 'running', []],
  ])('%s', (_name, state, status, expected) => {
    expect(newlyCrossedBudgets(given(state), policy, status, T)).toEqual(expected)
  })

  test('no policy, no budget', () => {
    expect(newlyCrossedBudgets(given({ costUsd: 99 }), {}, 'running', T)).toEqual([])
  })
})

describe('the next moment health can change by itself', () => {
  const running = given({ runningSince: T, ranMs: 0 })
  test.each<[string, HealthFold, NonNullable<Policy['health']>, SessionStatus, number, number | null]>([
    ['it gets stuck', running, {}, 'running', T, T + STUCK_MS],
    ['it is stuck', running, {}, 'running', T + STUCK_MS, null],
    ['its minutes are nearly over', running, { max_runtime_minutes: 1 }, 'running', T, T + 48_000],
    ['its minutes are over', running, { max_runtime_minutes: 1 }, 'running', T + 48_000, T + 60_001],
    ['those of earlier runs count', { ...running, ranMs: 59_000 }, { max_runtime_minutes: 1 }, 'running', T, T + 1_001],
    [
      'raised by a step',
      { ...running, raised: { max_runtime_minutes: 1 } },
      { max_runtime_minutes: 1 },
      'running',
      T + 96_000,
      T + 120_001,
    ],
    ['part of a minute', running, { max_runtime_minutes: 0.0001 }, 'running', T + 5, T + 7],
    ['waiting', running, { max_runtime_minutes: 1 }, 'awaiting_approval', T, null],
    ['idle', fine, { max_runtime_minutes: 1 }, 'idle', T, null],
  ])('%s', (_name, state, budgets, status, now, expected) => {
    expect(nextHealthChangeAt(state, { health: budgets }, status, now)).toBe(expected)
  })
})

describe('[S41] the score of a session recovers', () => {
  const clean = () => [
    event('turn_start', { turn_id: 'r', prompt: 'p' }),
    ended('ok'),
    event('turn_end', { turn_id: 'r', status: 'completed' }),
  ]
  const score = (...events: AnyEvent[]) => assessHealth(folded(...events), 'idle', T).score
  const seven = [
    event('turn_start', { turn_id: 'r', prompt: 'p' }),
    ...Array.from({ length: 7 }, () => ended('error')),
    event('turn_end', { turn_id: 'r', status: 'completed' }),
  ]

  test('with turns in which nothing went wrong; what was counted stays counted', () => {
    expect([0, 1, 2, 3].map((turns) => score(...seven, ...Array.from({ length: turns }, clean).flat()))).toEqual([
      70, 85, 95, 100,
    ])
    expect(folded(...seven, ...clean(), ...clean(), ...clean())).toMatchObject({ failedTools: 7 })
  })

  test('not with one that failed, was cancelled, or had trouble of its own', () => {
    for (const status of ['failed', 'cancelled'] as const)
      expect(
        score(
          ...seven,
          event('turn_start', { turn_id: 'r', prompt: 'p' }),
          event('turn_end', { turn_id: 'r', status }),
        ),
      ).toBe(70)
    const troubled = [
      event('turn_start', { turn_id: 'r', prompt: 'p' }),
      ended('error'),
      event('turn_end', { turn_id: 'r', status: 'completed' }),
    ]
    expect(score(...seven, ...clean(), ...troubled)).toBe(80)
  })
})
