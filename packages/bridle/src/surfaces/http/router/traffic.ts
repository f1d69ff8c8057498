// Requests by route and status, for /metrics.
export interface Traffic {
  count(method: string, route: string, status: number): void
  rows(): Iterable<{ method: string; route: string; status: number; count: number }>
}

/** Routes are rows of a table, so the number of series is bounded whatever callers send. */
export const traffic = (): Traffic => {
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
