// The tokens and the cost of a turn: what the session has used since the turn before.
import type { SessionUsage } from '../../../client/index.ts'
import { costText, durationText, exactCountText } from '../../../words/index.ts'

export type UsageCount = Pick<SessionUsage, 'input_tokens' | 'output_tokens' | 'cost_usd' | 'context_usage_pct'>

export const turnCost = (before: UsageCount, after: UsageCount, elapsedMs: number | null): string | null => {
  const [read, written] = [after.input_tokens - before.input_tokens, after.output_tokens - before.output_tokens]
  const cost = after.cost_usd === null ? null : after.cost_usd - (before.cost_usd ?? 0)
  const parts = [
    ...(read > 0 || written > 0 ? [`${exactCountText(read)} tokens read, ${exactCountText(written)} written`] : []),
    ...(cost !== null && cost > 0 ? [costText(cost)] : []),
    // Below one percent it says nothing.
    ...((after.context_usage_pct ?? 0) < 1 ? [] : [`context ${Math.round(after.context_usage_pct ?? 0)} %`]),
    ...(elapsedMs === null ? [] : [`took ${durationText(elapsedMs)}`]),
  ]
  return parts.length === 0 ? null : parts.join(' · ')
}
