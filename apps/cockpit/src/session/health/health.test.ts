import type { TimelineEntry } from 'bridle/client'
import { costText } from 'bridle/words'
import { describe, expect, test } from 'vitest'
import { type Budget, currentValue, type Health } from './budget-values.ts'
import { axisWidth, niceTop, PLOT_POINTS_MAX, plotShape } from './plot-path.ts'
import { budgetOfField, changesOf, fieldsOf, policyOf, withoutPath } from './policy-form.ts'
import { percentile95, usageSeries } from './series.ts'

const policy = (
  action: 'pause' | 'request_approval',
  status: Health['policy']['enforcement']['status'] = 'armed',
  more: Partial<Health['policy']> = {},
): Health['policy'] => ({ health: {}, enforcement: { action, status, crossed: [], raised: {} }, ...more })
const cost: Budget = { budget: 'max_cost_usd', limit: 2, value: 1.71, level: 'high' }

describe('budgets', () => {
  test('the clock of a run is counted by the page', () => {
    const clock: Budget = { budget: 'max_runtime_minutes', limit: 60, value: 10, level: 'ok' }
    const since = '2026-01-01T10:00:00Z'
    expect(currentValue(clock, since, Date.parse(since) + 120_000)).toBe(12)
    expect(currentValue(clock, null, Date.now())).toBe(10)
    expect(currentValue(cost, since, Date.parse(since) + 120_000)).toBe(1.71)
  })
})

describe('the policy editor', () => {
  test('reads numbers as people write them, in their units, and leaves empty ones out', () => {
    const fields = fieldsOf(policy('pause', 'armed', { health: { max_tool_latency_ms: 60_000 } }))
    expect(fields.max_tool_latency_ms).toBe('60')
    const typed = { ...fields, max_cost_usd: '$3.00', max_total_tokens: '200,000' }
    expect(changesOf(fields, typed)).toBe(2)
    expect(policyOf(typed)).toEqual({
      policy: { health: { max_cost_usd: 3, max_total_tokens: 200_000, max_tool_latency_ms: 60_000, action: 'pause' } },
    })
    expect(policyOf(fieldsOf(policy('pause', 'off', { health: null })))).toEqual({ policy: {} })
    expect(policyOf({ ...fields, min_score: 'much' })).toEqual({
      problems: { min_score: 'Expected a number, or nothing' },
    })
  })

  test('[H90] the field of a refusal decides where its words stand, whatever they say', () => {
    expect(budgetOfField('policy.health.max_cost_usd')).toBe('max_cost_usd')
    expect([budgetOfField('policy.health.max_cost'), budgetOfField('policy'), budgetOfField(undefined)]).toEqual([
      ...[null, null, null],
    ])
    const path = 'policy.health.min_score'
    expect(withoutPath(`body: ${path}: Too much`, path)).toBe('Too much')
    expect(withoutPath('max_cost_usd is wrong', undefined)).toBe('max_cost_usd is wrong')
  })
})

describe('plots', () => {
  const box = { left: 0, right: 100, top: 0, bottom: 50 }
  test('stay in their box, for no point, one point and very many', () => {
    for (const count of [0, 1, 2, 5_000]) {
      const points = Array.from({ length: count }, (_, index) => ({ at: index * 1_000, value: index % 100 }))
      const shape = plotShape(points, box, { min: 0, max: 100, until: count * 1_000, isStepped: true })
      expect(shape.points.length).toBeLessThanOrEqual(PLOT_POINTS_MAX)
      for (const { x, y } of shape.points) expect(x >= 0 && x <= 100 && y >= 0 && y <= 50).toBe(true)
      expect(shape.line).not.toContain('NaN')
      expect(shape.line === '').toBe(count === 0)
    }
  })

  test('the numbers beside an axis have room, also those of a small cost', () => {
    const widthOf = (max: number) => axisWidth(0, max, costText)
    expect([widthOf(2), widthOf(0.001)]).toEqual([33, 46])
  })

  test('have a round number at the top', () => {
    expect([0, 0.7, 1.71, 142_380, 5].map(niceTop)).toEqual([1, 1, 2, 200_000, 5])
  })

  test('sums go on from the reports that the page no longer has', () => {
    const report = (tokens: number, usd: number): TimelineEntry =>
      ({
        seq: 1,
        type: 'usage',
        turnId: 't',
        timestamp: '2026-01-01T10:00:00Z',
        payload: { total_tokens: tokens, cost_usd: usd },
      }) as TimelineEntry
    const { tokens, cost: spent } = usageSeries({
      diagnostics: [report(10, 1), report(20, -0.5)],
      usage: { tokens: 100, costUsd: 2 },
    })
    expect(tokens.map(({ value }) => value)).toEqual([80, 100])
    expect(spent.map(({ value }) => value)).toEqual([2.5, 2])
    expect(percentile95([])).toBe(0)
    expect(percentile95(Array.from({ length: 100 }, (_, index) => index + 1))).toBe(95)
  })
})
