import { describe, expect, test } from 'vitest'
import { STUCK_MS } from '../limits.ts'
import type { Policy } from '../schemas.ts'
import { dueAt } from '../supervisor.ts'
import { wanted } from '../wanted.ts'
import {
  approve,
  background,
  call,
  deny,
  failed,
  finished,
  key,
  type Life,
  outcome,
  running,
  says,
  started,
  stopped,
  T0,
  token,
} from './rules.suite.ts'

const withBudget = (health: NonNullable<Policy['health']>, maxRetries = 0) =>
  running(background({ policy: { health }, maxRetries }))
const spend = (life: Life, cost_usd: number) => life.says(says('usage', { cost_usd }))
const effects = (life: Life): string[] => wanted(key, life.state, 1).map(({ id }) => id)

describe('[S28] crossing a budget', () => {
  test('is told once, stops the attempt and asks', () => {
    const life = withBudget({ max_cost_usd: 1 })
    spend(life, 1)
    expect(life.happened).toEqual(['usage', 'health_changed'])
    spend(life, 0.5)
    expect(life.happened).toEqual([
      'usage',
      'budget_crossed',
      'run_parked',
      'approval_required',
      'health_changed',
      'session_state',
    ])
    expect(life.payloads('budget_crossed')).toEqual([{ budget: 'max_cost_usd', limit: 1, value: 1.5 }])
    expect(life.payloads('approval_required')).toMatchObject([
      { kind: 'budget', tool_name: 'budget', reason: 'Over budget: max_cost_usd 1.5 (limit 1)' },
    ])
    expect(life.status).toBe('awaiting_approval')
    expect(effects(life)).toEqual(['abort:r-2:1'])
    life.says(stopped)
    expect(effects(life)).toEqual([])
    life.tick(1_000_000)
    expect(life.payloads('budget_crossed')).toHaveLength(1)
  })

  test('approved, the limit is raised by one step and armed again', () => {
    const life = withBudget({ max_cost_usd: 1 })
    spend(life, 1.5)
    life.says(stopped)
    life.do(approve(life.openApprovals[0]!))
    expect(life.payloads('budget_raised')).toEqual([{ budgets: ['max_cost_usd'] }])
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
    life.says(started())
    spend(life, 0.5)
    expect(life.status).toBe('running')
    spend(life, 0.25)
    expect(life.payloads('budget_crossed')).toEqual([
      { budget: 'max_cost_usd', limit: 1, value: 1.5 },
      { budget: 'max_cost_usd', limit: 2, value: 2.25 },
    ])
    expect(life.status).toBe('awaiting_approval')
  })

  test('approved before the attempt has stopped, the next one waits for that', () => {
    const life = withBudget({ max_cost_usd: 1 })
    spend(life, 1.5)
    life.do(approve(life.openApprovals[0]!))
    expect(life.run).toMatchObject({ attempt: 1, phase: 'parked' })
    life.says(stopped)
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
    life.says(stopped)
    life.do({ type: 'cancel' })
    expect(life.status).toBe('cancelled')
    expect(life.payloads('session_paused')).toEqual([])
  })

  test('pauses where the policy says so', () => {
    const life = withBudget({ max_cost_usd: 1, action: 'pause' })
    spend(life, 1.5)
    expect(life.happened).toEqual([
      'usage',
      'budget_crossed',
      'session_paused',
      'run_parked',
      'health_changed',
      'session_state',
    ])
    expect(life.status).toBe('paused')
    expect(life.openApprovals).toEqual([])
    life.says(stopped)
    life.do({ type: 'resume' })
    expect(life.status).toBe('running')
  })

  test('several at once are one question', () => {
    const life = withBudget({ max_cost_usd: 1, max_total_tokens: 10 })
    life.says(says('usage', { cost_usd: 2, input_tokens: 8, output_tokens: 8 }))
    expect(life.payloads('budget_crossed').map(({ budget }) => budget)).toEqual(['max_total_tokens', 'max_cost_usd'])
    expect(life.openApprovals).toHaveLength(1)
  })

  test('while an approval is awaited it is told when that is over', () => {
    const life = withBudget({ max_cost_usd: 1 })
    life.says(call('c1'), {
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
    life.says(failed())
    expect(life.payloads('budget_crossed')).toEqual([{ budget: 'min_score', limit: 95, value: 90 }])
    expect(life.status).toBe('awaiting_approval')
    expect(effects(life)).toEqual([])
    life.do(approve(life.openApprovals[0]!))
    expect(life.run).toMatchObject({ attempt: 2, phase: 'requested' })
  })

  test('after the end nothing is asked', () => {
    const life = withBudget({ max_cost_usd: 1 })
    life.says(says('usage', { cost_usd: 5 }), finished())
    expect(life.status).toBe('completed')
    expect(life.payloads('budget_crossed')).toEqual([])
  })

  test('is told as the next run starts, when the last one ended over it', () => {
    const life = withBudget({ max_cost_usd: 1 })
    life.submit('next')
    life.says(says('usage', { cost_usd: 5 }), finished())
    expect(life.payloads('budget_crossed')).toHaveLength(1)
    expect(life.run).toMatchObject({ text: 'next', phase: 'parked' })
    life.says(stopped)
    life.do(deny(life.openApprovals[0]!))
    expect(life.status).toBe('paused')
  })

  test('by the clock', () => {
    const life = withBudget({ max_runtime_minutes: 2 })
    expect(dueAt(life.state, life.now)).toBe(T0 + 96_000)
    life.tick(96_000)
    expect(life.happened).toEqual(['health_changed'])
    expect(dueAt(life.state, life.now)).toBe(T0 + 120_001)
    life.tick(24_000)
    expect(life.status).toBe('running')
    life.tick(1)
    expect(life.payloads('budget_crossed')).toMatchObject([{ budget: 'max_runtime_minutes', limit: 2 }])
  })
})

test.each<[string, NonNullable<Policy['health']>, Parameters<Life['says']>]>([
  ['tokens', { max_total_tokens: 9 }, [says('usage', { total_tokens: 10 })]],
  ['context', { max_context_usage_pct: 80 }, [says('context_warning', { usage_pct: 81 })]],
  [
    'failed calls',
    { max_failed_tool_calls: 1 },
    [call('a', 'pure', 'x'), outcome('a', 'error'), call('b', 'pure', 'y'), outcome('b', 'timeout')],
  ],
  ['loops', { max_loop_warnings: 0 }, [call('a'), outcome('a'), call('b'), outcome('b'), call('c')]],
  [
    'plans',
    { max_repeated_plan_events: 0 },
    [says('step_progress', { plan: [1] }), says('step_progress', { plan: [1] })],
  ],
  ['latency', { max_tool_latency_ms: 50 }, [call('a'), outcome('a', 'ok', { elapsed_ms: 51 })]],
  ['answers without evidence', { max_events_without_evidence: 0 }, [says('response', { text: 'so' })]],
  ['the score', { min_score: 95 }, [call('a'), outcome('a', 'error'), call('b', 'pure', 'y'), outcome('b', 'error')]],
])('[S28] a budget for %s', (_name, health, items) => {
  const life = withBudget(health)
  life.says(...items)
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
  life.says(token('alive'))
  expect(told()).toEqual([[70, 'stuck'], [100]])
  life.says(call('c1'), outcome('c1', 'error'))
  life.says(failed())
  expect(told().slice(2)).toEqual([[95], [85]])
})
