import { Histogram } from './histogram.ts'
import type { Metric } from './metrics.ts'

/** Most requests take milliseconds, but waiting for a run takes minutes. */
const REQUEST_SECONDS = [0.01, 0.1, 1, 10, 60] as const

export interface Traffic {
  count(method: string, route: string, status: number, ms: number): void
  metrics(): readonly Metric[]
}

/** Counts by route, because labels by path would be unbounded. */
export const createTraffic = (): Traffic => {
  const counts = new Map<string, { labels: { method: string; route: string; status: number }; value: number }>()
  const durations = new Histogram(REQUEST_SECONDS)
  return {
    count(method, route, status, ms) {
      const key = `${method} ${route} ${status}`
      const row = counts.get(key) ?? { labels: { method, route, status }, value: 0 }
      row.value += 1
      counts.set(key, row)
      // The clock may be set back, and a falling sum looks like a restart.
      durations.add({ method, route }, Math.max(0, ms) / 1_000)
    },
    metrics: () => [
      {
        name: 'bridle_http_requests_total',
        help: 'Requests by route and status',
        type: 'counter',
        rows: [...counts.values()],
      },
      {
        name: 'bridle_http_request_duration_seconds',
        help: 'Time until an answer begins, by route',
        type: 'histogram',
        rows: durations.rows(),
      },
    ],
  }
}
