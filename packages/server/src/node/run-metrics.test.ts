import type { EventType } from '@bridle/events/catalogue'
import type { AnyEvent } from '@bridle/kernel/event'
import { afterEach, expect, test, vi } from 'vitest'
import { createRunMetrics, processMetrics } from './run-metrics.ts'

const key = (agent: string, id: string) => ({ tenant: 't', agent, id })
const event = (at: number, run: string, type: EventType, payload: object): AnyEvent =>
  ({ seq: 1, at, run, type, payload }) as unknown as AnyEvent
const start = (at: number) => event(at, 'r-1', 'turn_start', { turn_id: 'r-1', prompt: 'a' })
const end = (at: number, status: string, run = 'r-1') => event(at, run, 'turn_end', { turn_id: run, status })

test('[O134] runs by outcome, their time, tokens and cost, for each agent', () => {
  const runs = createRunMetrics()
  const [one, two, three] = [key('greet', 'one'), key('greet', 'two'), key('coder', 'three')]
  runs.events(one, [start(1_000)])
  runs.events(two, [start(1_500)])
  runs.events(three, [start(2_000)])
  runs.events(one, [event(2_000, 'r-1', 'usage', { input_tokens: 10, output_tokens: 4, cost_usd: 0.25 })])
  runs.events(three, [event(2_100, 'r-1', 'usage', { input_tokens: 7, cost_usd: 1 })])
  runs.events(one, [end(1_050, 'completed')])
  runs.events(two, [end(6_500, 'failed')])
  runs.events(three, [event(2_200, 'r-1', 'usage', { cost_usd: -0.5 })])
  // The run began in an earlier process.
  runs.events(three, [end(9_000, 'completed', 'r-7')])
  runs.events(one, [{ ...end(9_000, 'failed', 'r-8'), hearsay: true } as AnyEvent])
  const shown = Object.fromEntries(runs.metrics().map(({ name, rows }) => [name, rows]))
  expect(shown).toMatchObject({
    bridle_runs_total: [
      { labels: { agent: 'greet', outcome: 'completed' }, value: 1 },
      { labels: { agent: 'greet', outcome: 'failed' }, value: 1 },
      { labels: { agent: 'coder', outcome: 'completed' }, value: 1 },
    ],
    bridle_run_duration_seconds: [{ labels: { agent: 'greet' }, sum: 5.05, count: 2 }],
    bridle_tokens_total: [
      { labels: { agent: 'greet', direction: 'input' }, value: 10 },
      { labels: { agent: 'greet', direction: 'output' }, value: 4 },
      { labels: { agent: 'coder', direction: 'input' }, value: 7 },
      { labels: { agent: 'coder', direction: 'output' }, value: 0 },
    ],
    // A correction downwards is no fall of the counter.
    bridle_cost_usd_total: [
      { labels: { agent: 'greet' }, value: 0.25 },
      { labels: { agent: 'coder' }, value: 1 },
    ],
  })
})

test('[O134] an import counts no runs, tokens or cost: they were spent elsewhere', () => {
  const runs = createRunMetrics()
  const usage = event(1_100, 'r-1', 'usage', { input_tokens: 10, output_tokens: 4, cost_usd: 0.25 })
  const imported = event(9_000, '', 'session_imported', { source: {}, digest: '' })
  runs.events(key('greet', 'one'), [start(1_000), usage, end(1_200, 'completed'), imported])
  expect(runs.metrics().map(({ rows }) => rows)).toEqual([[], [], [], []])
})

afterEach(() => void vi.restoreAllMocks())

const startTime = (): number => {
  const metric = processMetrics().find(({ name }) => name === 'process_start_time_seconds')
  return metric?.type === 'gauge' ? (metric.rows[0]?.value ?? Number.NaN) : Number.NaN
}

test('[O7] the start of the process stays the same when the clock of the machine is set', () => {
  const started = startTime()
  expect(started).toBeGreaterThan(1_700_000_000)
  const later = Date.now() + 600_000
  vi.spyOn(Date, 'now').mockReturnValue(later)
  expect(startTime()).toBe(started)
})
