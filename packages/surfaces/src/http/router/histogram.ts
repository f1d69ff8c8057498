import type { MetricLabels } from './metrics.ts'

export interface HistogramRow {
  readonly labels: MetricLabels
  readonly buckets: readonly { readonly most: number; readonly count: number }[]
  readonly sum: number
  readonly count: number
}

export class Histogram {
  readonly #bounds: readonly number[]
  readonly #rows = new Map<string, { labels: MetricLabels; counts: number[]; sum: number; count: number }>()

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
  }

  add(labels: MetricLabels, value: number): void {
    const key = JSON.stringify(labels)
    const row = this.#rows.get(key) ?? { labels, counts: this.#bounds.map(() => 0), sum: 0, count: 0 }
    this.#rows.set(key, row)
    row.sum += value
    row.count += 1
    for (const [index, most] of this.#bounds.entries())
      if (value <= most) row.counts[index] = (row.counts[index] ?? 0) + 1
  }

  rows(): HistogramRow[] {
    return [...this.#rows.values()].map(({ labels, counts, sum, count }) => ({
      labels,
      buckets: this.#bounds.map((most, index) => ({ most, count: counts[index] ?? 0 })),
      sum,
      count,
    }))
  }
}
