import { BUDGET_GRACE_MS, STUCK_MS } from '@bridle/events/limits'
import type { Policy } from '@bridle/events/schemas'
import { describe, expect, test } from 'vitest'
import { budgetPressures, grantedLimits } from '../../projections/health/budgets.ts'
import { dueAt } from '../due-time.ts'
import {
  approve,
  background,
  call,
  deny,
  eventReport,
  failed,
  finished,
  key,
  outcome,
  running,
  started,
  stopped,
  T0,
  type TestSession,
  token,
} from '../rules.suite.ts'
import { wantedEffects } from '../wanted-effects.ts'

const withBudget = (health: NonNullable<Policy['health']>, maxRetries = 0) =>
  running(background({ policy: { health }, maxRetries }))
/** Reports usage, and nothing more for a while. */
const spend = (life: TestSession, cost_usd: number) => saysNoMore(life, eventReport('usage', { cost_usd }))
const saysNoMore = (life: TestSession, ...items: Parameters<TestSession['report']>) => {
  life.report(...items)
  life.tick(BUDGET_GRACE_MS)
}
const effects = (life: TestSession): string[] => wantedEffects(key, life.state, 1).map(({ id }) => id)

describe('[S28] crossing a budget', () => {
  test('is told once, stops the attempt and asks', () => {
    const life = withBudget({ max_cost_usd: 1 })
    life.report(eventReport('usage', { cost_usd: 1 }))
    expect(life.lastTypes).toEqual(['usage', 'health_changed'])
    spend(life, 0.5)
    expect(life.lastTypes).toEqual([
      'budget_crossed',
      'run_parked',
      'approval_required',
      'health_changed',
      'session_state',
    ])
    expect(life.payloads('budget_crossed')).toEqual([{ budget: 'max_cost_usd', limit: 1, value: 1.5 }])
    expect(life.payloads('approval_required')).toMatchObject([
      {
        kind: 'budget',
        tool_name: 'budget',
        reason:
          'Over budget: cost limit of $1.00 (at $1.50). If you approve, it becomes a cost limit of $2.50, and the turn starts over: the work so far is done again.',
      },
    ])
    expect(life.status).toBe('awaiting_approval')
    expect(effects(life)).toEqual(['abort:r-2:1'])
    life.report(stopped)
    expect(effects(life)).toEqual([])
    life.tick(1_000_000)
    expect(life.payloads('budget_crossed')).toHaveLength(1)
  })

  test('[S35] approved, the limit is what was spent and the whole limit on top, and armed again', () => {
    const life = withBudget({ max_cost_usd: 1 })
    spend(life, 1.5)
    life.report(stopped)
    life.do(approve(life.openApprovals[0]!))
    expect(life.payloads('budget_raised')).toEqual([{ budgets: ['max_cost_usd'], limits: { max_cost_usd: 2.5 } }])
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
    life.report(started())
    spend(life, 1)
    expect(life.status).toBe('running')
    spend(life, 0.25)
    expect(life.payloads('budget_crossed')).toEqual([
      { budget: 'max_cost_usd', limit: 1, value: 1.5 },
      { budget: 'max_cost_usd', limit: 2.5, value: 2.75 },
    ])
    expect(life.status).toBe('awaiting_approval')
  })

  test.each<[string, NonNullable<Policy['health']>, Parameters<TestSession['report']>, number]>([
    ['far over', { max_cost_usd: 1 }, [eventReport('usage', { cost_usd: 97.5 })], 98.5],
    [
      'what counts the worst',
      { max_tool_latency_ms: 5 },
      [call('c1', 'pure'), outcome('c1', 'ok', { elapsed_ms: 30_000 })],
      30_005,
    ],
    [
      'from zero',
      { max_failed_tool_calls: 0 },
      [call('c1'), outcome('c1', 'error'), call('c2'), outcome('c2', 'error')],
      3,
    ],
    ['a score', { min_score: 99 }, [call('c1'), outcome('c1', 'error')], 49],
  ])('approved once, it is not asked again before more was spent: %s', (_name, health, spent, limit) => {
    const life = withBudget(health)
    saysNoMore(life, ...spent)
    life.report(stopped)
    life.do(approve(life.openApprovals[0]!))
    expect(life.status).toBe('running')
    expect(life.payloads('budget_crossed')).toHaveLength(1)
    expect(
      budgetPressures(life.state.health, { health }, { score: 100, status: 'running', now: life.now }),
    ).toMatchObject([{ limit }])
  })

  test('a score of nothing can be approved too', () => {
    const life = withBudget({ min_score: 1 }, 9)
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) life.report(call(id, 'pure', id), outcome(id, 'error'))
    for (const id of ['l1', 'l2'])
      life.report(eventReport('context_warning', { kind: 'loop', message: id, usage_pct: 95 }))
    life.report(eventReport('transport_diagnostic', { status: 'degraded', kind: 'x' }))
    for (let tries = 0; tries < 3; tries++) {
      life.report(failed())
      life.tick(60_000)
      if (life.status === 'running') life.report(started())
    }
    expect(life.status).toBe('awaiting_approval')
    life.do(approve(life.openApprovals[0]!))
    life.tick(60_000)
    expect(life.status).toBe('running')
  })

  test.each([
    [1e-300, 1e308],
    [0.1, 1e20],
    [1e-9, 0.3],
  ])('a granted limit is a number that JSON has: %f and %f', (max_cost_usd, cost_usd) => {
    const life = withBudget({ max_cost_usd })
    spend(life, cost_usd)
    const granted = grantedLimits(life.state.health, { health: { max_cost_usd } }, life.now)
    expect(JSON.parse(JSON.stringify(granted)).max_cost_usd).toBeGreaterThanOrEqual(cost_usd)
  })

  test('paused and resumed while it is asked, it is still to be answered', () => {
    const life = withBudget({ max_cost_usd: 1 })
    spend(life, 1.5)
    life.report(stopped)
    life.do({ type: 'pause' })
    life.do({ type: 'resume' })
    expect(life.status).toBe('awaiting_approval')
    expect(life.payloads('budget_raised')).toEqual([])
    life.do(approve(life.openApprovals[0]!))
    expect(life.status).toBe('running')
    expect(life.payloads('budget_raised')).toHaveLength(1)
  })

  test('[S66] an approval of it changes no arguments: there is no call that could have others', () => {
    const life = withBudget({ max_cost_usd: 1 })
    spend(life, 1.5)
    const [id] = life.openApprovals
    expect(life.do(approve(id!, { args: { subject: 'max_total_tokens' } }))).toMatchObject({
      refused: 'arguments_fixed',
    })
    expect(life.openApprovals).toEqual([id])
    expect(life.do(approve(id!, { args: { subject: 'max_cost_usd' } }))).toMatchObject({ decision: 'approved' })
    expect(life.payloads('approval_decided')).toEqual([{ request_id: id, decision: 'approved' }])
  })

  test('approved before the attempt has stopped, the next one waits for that', () => {
    const life = withBudget({ max_cost_usd: 1 })
    spend(life, 1.5)
    life.do(approve(life.openApprovals[0]!))
    expect(life.run).toMatchObject({ attempt: 1, phase: 'parked' })
    life.report(stopped)
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
  })

  test('denied, the session is paused', () => {
    const life = withBudget({ max_cost_usd: 1 })
    spend(life, 1.5)
    life.do(deny(life.openApprovals[0]!))
    expect(life.status).toBe('paused')
    expect(life.payloads('session_paused')).toEqual([{ reason: 'budget denied' }])
    expect(life.payloads('turn_end')).toEqual([])
  })

  test('cancelled, it does not pause', () => {
    const life = withBudget({ max_cost_usd: 1 })
    spend(life, 1.5)
    life.report(stopped)
    life.do({ type: 'cancel' })
    expect(life.status).toBe('cancelled')
    expect(life.payloads('session_paused')).toEqual([])
  })

  test('pauses where the policy says so', () => {
    const life = withBudget({ max_cost_usd: 1, action: 'pause' })
    spend(life, 1.5)
    expect(life.lastTypes).toEqual([
      'budget_crossed',
      'session_paused',
      'run_parked',
      'health_changed',
      'session_state',
    ])
    expect(life.status).toBe('paused')
    expect(life.openApprovals).toEqual([])
    life.report(stopped)
    life.do({ type: 'resume' })
    expect(life.status).toBe('running')
  })

  test('several at once are one question', () => {
    const life = withBudget({ max_cost_usd: 1, max_total_tokens: 10 })
    saysNoMore(life, eventReport('usage', { cost_usd: 2, input_tokens: 8, output_tokens: 8 }))
    expect(life.payloads('budget_crossed').map(({ budget }) => budget)).toEqual(['max_total_tokens', 'max_cost_usd'])
    expect(life.openApprovals).toHaveLength(1)
  })

  test('while an approval is awaited it is told when that is over', () => {
    const life = withBudget({ max_cost_usd: 1 })
    life.report(call('c1'), {
      type: 'ask',
      toolCallId: 'c1',
      tool: 'write',
      arguments: {},
      reason: 'r',
      digest: 'd',
    })
    const [tool] = life.openApprovals
    spend(life, 2)
    expect(life.payloads('budget_crossed')).toEqual([])
    life.do(approve(tool!, { digest: 'd' }))
    expect(life.payloads('budget_crossed')).toHaveLength(1)
    expect(life.status).toBe('awaiting_approval')
  })

  test('while recovering, too', () => {
    const life = withBudget({ min_score: 95 }, 1)
    life.report(failed())
    expect(life.payloads('budget_crossed')).toEqual([{ budget: 'min_score', limit: 95, value: 90 }])
    expect(life.status).toBe('awaiting_approval')
    expect(effects(life)).toEqual([])
    life.do(approve(life.openApprovals[0]!))
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
  })

  test('after the end nothing is asked', () => {
    const life = withBudget({ max_cost_usd: 1 })
    life.report(eventReport('usage', { cost_usd: 5 }), finished())
    expect(life.status).toBe('completed')
    expect(life.payloads('budget_crossed')).toEqual([])
  })

  test('is told as the next run starts, when the last one ended over it', () => {
    const life = withBudget({ max_cost_usd: 1 })
    life.submit('next')
    life.report(eventReport('usage', { cost_usd: 5 }), finished())
    expect(life.payloads('budget_crossed')).toHaveLength(1)
    expect(life.run).toMatchObject({ text: 'next', phase: 'parked' })
    life.report(stopped)
    life.do(deny(life.openApprovals[0]!))
    expect(life.status).toBe('paused')
  })

  test('by the clock', () => {
    const life = withBudget({ max_runtime_minutes: 2 })
    expect(dueAt(life.state, life.now)).toBe(T0 + 96_000)
    life.tick(96_000)
    expect(life.lastTypes).toEqual(['health_changed'])
    expect(dueAt(life.state, life.now)).toBe(T0 + 120_001)
    life.tick(24_000)
    expect(life.status).toBe('running')
    life.tick(1)
    expect(life.payloads('budget_crossed')).toMatchObject([{ budget: 'max_runtime_minutes', limit: 2 }])
  })
})

test.each<[string, NonNullable<Policy['health']>, Parameters<TestSession['report']>]>([
  ['tokens', { max_total_tokens: 9 }, [eventReport('usage', { total_tokens: 10 })]],
  ['context', { max_context_usage_pct: 80 }, [eventReport('context_warning', { usage_pct: 81 })]],
  [
    'failed calls',
    { max_failed_tool_calls: 1 },
    [call('a', 'pure', 'x'), outcome('a', 'error'), call('b', 'pure', 'y'), outcome('b', 'timeout')],
  ],
  ['loops', { max_loop_warnings: 0 }, [call('a'), outcome('a'), call('b'), outcome('b'), call('c')]],
  [
    'plans',
    { max_repeated_plan_events: 0 },
    [eventReport('step_progress', { plan: [1] }), eventReport('step_progress', { plan: [1] })],
  ],
  ['latency', { max_tool_latency_ms: 50 }, [call('a'), outcome('a', 'ok', { elapsed_ms: 51 })]],
  ['answers without evidence', { max_events_without_evidence: 0 }, [eventReport('response', { text: 'so' })]],
  ['the score', { min_score: 95 }, [call('a'), outcome('a', 'error'), call('b', 'pure', 'y'), outcome('b', 'error')]],
])('[S28] a budget for %s', (_name, health, items) => {
  const life = withBudget(health)
  saysNoMore(life, ...items)
  // An open call may finish; the next work of the runner may not start.
  life.report(token('more'))
  expect(life.payloads('budget_crossed')).toHaveLength(1)
})

test('[S28] set_policy measures from now on with fresh limits', () => {
  const life = running()
  spend(life, 5)
  expect(life.do({ type: 'set_policy', policy: { health: { max_cost_usd: 10 } }, actor: 'ann' })).toEqual({
    seq: life.state.head,
  })
  expect(life.payloads('policy_set')).toEqual([{ policy: { health: { max_cost_usd: 10 } }, actor: 'ann' }])
  expect(life.status).toBe('running')
  life.do({ type: 'set_policy', policy: { health: { max_cost_usd: 4 } } })
  expect(life.status).toBe('awaiting_approval')
})

test('[S27] health is told when, and only when, it changed', () => {
  const life = running(background({ maxRetries: 3 }))
  const told = () => life.payloads('health_changed').map(({ score, flags }) => [score, ...flags])
  expect(told()).toEqual([])
  expect(dueAt(life.state, life.now)).toBe(T0 + STUCK_MS)
  life.tick(STUCK_MS - 1)
  expect(told()).toEqual([])
  life.tick(1)
  expect(told()).toEqual([[70, 'stuck']])
  life.tick(STUCK_MS)
  expect(life.last).toEqual([])
  life.report(token('alive'))
  expect(told()).toEqual([[70, 'stuck'], [100]])
  life.report(call('c1'), outcome('c1', 'error'))
  life.report(failed())
  expect(told().slice(2)).toEqual([[95], [85]])
})
