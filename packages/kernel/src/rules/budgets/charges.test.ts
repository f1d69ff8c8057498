// Usage that no run reports.
import { describe, expect, test } from 'vitest'
import { finished, running, token } from '../rules.suite.ts'

describe('[V72] a charge', () => {
  test('counts against the budgets of a run in progress', () => {
    const life = running()
    life.do({ type: 'set_policy', policy: { health: { max_cost_usd: 0.01 } } })
    life.report(token('One'))
    life.do({ type: 'charge', usage: { cost_usd: 0.004, estimated: true } })
    expect(life.payloads('budget_crossed')).toEqual([])
    life.do({ type: 'charge', usage: { cost_usd: 0.008, estimated: true } })
    expect(life.payloads('budget_crossed')).toMatchObject([{ budget: 'max_cost_usd' }])
  })

  test('after the end of a run is an event of the session, and counts there', () => {
    const life = running()
    life.report(token('One'), finished())
    life.do({ type: 'charge', usage: { cost_usd: 0.5, estimated: true } })
    expect(life.last).toMatchObject([{ type: 'usage' }])
    expect(life.last[0]?.run).toBeUndefined()
    expect(life.state.health.costUsd).toBe(0.5)
  })

  test('changes neither the model of the session nor the number of its calls', () => {
    const life = running()
    const before = life.state
    life.do({ type: 'charge', usage: { cost_usd: 0.5, estimated: true, characters: 10 } })
    expect(life.state.usage).toEqual({ ...before.usage, isPriced: true })
    expect(life.state.lifecycle.runtime).toEqual(before.lifecycle.runtime)
  })
})
