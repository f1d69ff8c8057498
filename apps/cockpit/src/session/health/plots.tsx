// Score, cost, tokens and the time of calls since the session began. A plot without data is left out.

import { costText, countText, durationText } from 'bridle/words'
import { useMemo, useState } from 'react'
import { useSession } from '../session-context.tsx'
import { Plot } from './plot.tsx'
import { niceTop, type PlotPoint } from './plot-path.ts'
import { latencySeries, percentile95, usageSeries } from './series.ts'
import { useScoreSeries } from './use-score-series.ts'

export const Plots = ({ place }: { readonly place: 'column' | 'page' }) => {
  const { detail, events } = useSession()
  const { timeline, diagnostics, usage } = events
  const [isTable, setTable] = useState(false)
  const score = useScoreSeries()
  const { tokens, cost } = useMemo(() => usageSeries({ diagnostics, usage }), [diagnostics, usage])
  const latency = useMemo(() => latencySeries({ timeline }), [timeline])
  const limits = Object.fromEntries(detail.health.budget_pressure.budgets.map(({ budget, limit }) => [budget, limit]))
  const top = (points: readonly PlotPoint[], limit: number | undefined): number => {
    const largest = Math.max(...points.map(({ value }) => value))
    // A limit far above the values would press them onto the ground.
    return niceTop(limit !== undefined && limit <= largest * 4 ? Math.max(largest, limit) : largest)
  }
  return (
    <>
      <h2 className="h3">
        Over time
        <button
          type="button"
          className="btn ghost copy right"
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Show plots' : 'Show tables'}
        </button>
      </h2>
      <div className="plots">
        {score.length > 0 && (
          <Plot
            title="Score"
            points={score}
            text={String}
            newest={String(detail.health.score)}
            max={100}
            limit={limits.min_score}
            isStepped
            isTable={isTable}
            place={place}
          />
        )}
        {cost.some(({ value }) => value > 0) && (
          <Plot
            title="Cost"
            points={cost}
            text={costText}
            newest={costText(usage.costUsd)}
            max={top(cost, limits.max_cost_usd)}
            limit={limits.max_cost_usd}
            isTable={isTable}
            place={place}
          />
        )}
        {tokens.length > 0 && (
          <Plot
            title="Tokens"
            points={tokens}
            text={countText}
            newest={countText(usage.tokens)}
            max={top(tokens, limits.max_total_tokens)}
            limit={limits.max_total_tokens}
            isTable={isTable}
            place={place}
          />
        )}
        {latency.length > 0 && (
          <Plot
            title="Call time"
            points={latency}
            text={durationText}
            newest={`p95 ${durationText(percentile95(latency.map(({ value }) => value)))}`}
            max={top(latency, limits.max_tool_latency_ms)}
            limit={limits.max_tool_latency_ms}
            isDots
            isTable={isTable}
            place={place}
          />
        )}
      </div>
    </>
  )
}
