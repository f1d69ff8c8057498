import type { AnyEvent, Key } from '@bridle/kernel/event'
import { Histogram } from '@bridle/surfaces/http/router/histogram'
import { type Metric, type MetricLabels, single } from '@bridle/surfaces/http/router/metrics'
import { isImport, runUpdates } from '../agents/run-updates.ts'

/** Histogram bounds, from a function that returns at once to a run that waits a day for a person. */
const RUN_SECONDS = [0.1, 1, 10, 60, 600, 3_600, 86_400] as const

export interface RunMetrics {
  events(key: Key, events: readonly AnyEvent[]): void
  metrics(): readonly Metric[]
}

export const createRunMetrics = (): RunMetrics => {
  const runs = new Sums()
  const tokens = new Sums()
  const cost = new Sums()
  const durations = new Histogram(RUN_SECONDS)

  const readEnds = runUpdates((update) => {
    if (update.type !== 'end') return
    const { agent } = update.key
    runs.add({ agent, outcome: update.outcome }, 1)
    // A run started in an earlier process is counted without a duration.
    if (update.ms !== null) durations.add({ agent }, update.ms / 1_000)
  })

  return {
    events(key, events) {
      if (isImport(events)) return
      readEnds(key, events)
      const { agent } = key
      for (const event of events) {
        if (event.type !== 'usage' || event.hearsay) continue
        const { input_tokens = 0, output_tokens = 0, cost_usd = 0 } = event.payload
        tokens.add({ agent, direction: 'input' }, input_tokens)
        tokens.add({ agent, direction: 'output' }, output_tokens)
        cost.add({ agent }, cost_usd)
      }
    },
    metrics: () => [
      { name: 'bridle_runs_total', help: 'Runs that ended, by outcome', type: 'counter', rows: runs.rows() },
      {
        name: 'bridle_run_duration_seconds',
        help: 'Time from the start of a turn to its end, waits included',
        type: 'histogram',
        rows: durations.rows(),
      },
      { name: 'bridle_tokens_total', help: 'Tokens of models', type: 'counter', rows: tokens.rows() },
      { name: 'bridle_cost_usd_total', help: 'Cost of models in US dollars', type: 'counter', rows: cost.rows() },
    ],
  }
}

/** Sums per label set. An engine may correct its cost downwards, but a counter that drops would look like a restart. */
class Sums {
  readonly #rows = new Map<string, { readonly labels: MetricLabels; sum: number; highest: number }>()

  add(labels: MetricLabels, value: number): void {
    const key = JSON.stringify(labels)
    const row = this.#rows.get(key) ?? { labels, sum: 0, highest: 0 }
    row.sum += value
    row.highest = Math.max(row.highest, row.sum)
    this.#rows.set(key, row)
  }

  rows() {
    return [...this.#rows.values()].map(({ labels, highest }) => ({ labels, value: highest }))
  }
}

/** Read once: alerts treat a changed start time as a restart, and clocks are adjusted all the time. */
const STARTED = Math.round(performance.timeOrigin / 1_000)

export const processMetrics = (): readonly Metric[] => {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  return [
    single('process_cpu_seconds_total', 'counter', 'Processor time', (user + system) / 1_000_000),
    single('process_resident_memory_bytes', 'gauge', 'Memory', rss),
    single('process_start_time_seconds', 'gauge', 'Start, in seconds since 1970', STARTED),
    single('nodejs_heap_size_used_bytes', 'gauge', 'Memory of JavaScript objects', heapUsed),
  ]
}
