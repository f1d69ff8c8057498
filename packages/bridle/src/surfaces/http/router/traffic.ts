// Requests by route and status, for /metrics.
export interface Traffic {
  count(method: string, route: string, status: number): void
  rows(): Iterable<{ method: string; route: string; status: number; count: number }>
}

/** Counts by route and not by path: the number of series stays small for any paths that callers send. */
export const createTraffic = (): Traffic => {
  const counts = new Map<string, { method: string; route: string; status: number; count: number }>()
  return {
    count(method, route, status) {
      const key = `${method} ${route} ${status}`
      const row = counts.get(key) ?? { method, route, status, count: 0 }
      row.count += 1
      counts.set(key, row)
    },
    rows: () => counts.values(),
  }
}
