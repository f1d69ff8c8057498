// The series of the plots, from the events that the page has.
import type { FrontendState, StreamEnvelopeOf } from 'bridle/client'
import type { PlotPoint } from './plot-path.ts'

/** Sums of tokens and cost after each report. The page has the newest reports alone, and the sum of all: the first point makes up for the rest. */
export const usageSeries = ({
  diagnostics,
  usage,
}: Pick<FrontendState, 'diagnostics' | 'usage'>): {
  readonly tokens: readonly PlotPoint[]
  readonly cost: readonly PlotPoint[]
} => {
  const reports = diagnostics.flatMap(({ type, timestamp, payload }) => {
    if (type !== 'usage') return []
    const told = payload as StreamEnvelopeOf<'usage'>['payload']
    const tokens = told.total_tokens ?? (told.input_tokens ?? 0) + (told.output_tokens ?? 0)
    return [{ at: Date.parse(timestamp), tokens, cost: told.cost_usd ?? 0 }]
  })
  let tokens = usage.tokens - reports.reduce((sum, report) => sum + report.tokens, 0)
  let cost = usage.costUsd - reports.reduce((sum, report) => sum + report.cost, 0)
  const series = { tokens: [] as PlotPoint[], cost: [] as PlotPoint[] }
  for (const report of reports) {
    tokens += report.tokens
    cost += report.cost
    series.tokens.push({ at: report.at, value: tokens })
    series.cost.push({ at: report.at, value: Math.max(0, cost) })
  }
  return series
}

/** The time of each call that ended, in ms. */
export const latencySeries = ({ timeline }: Pick<FrontendState, 'timeline'>): readonly PlotPoint[] =>
  timeline.flatMap(({ type, timestamp, payload }) => {
    if (type !== 'tool_outcome') return []
    const { elapsed_ms: ms } = payload as StreamEnvelopeOf<'tool_outcome'>['payload']
    return ms === undefined ? [] : [{ at: Date.parse(timestamp), value: ms }]
  })

/** The value that 95 of 100 do not exceed. */
export const percentile95 = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.95) - 1)] ?? 0
}
