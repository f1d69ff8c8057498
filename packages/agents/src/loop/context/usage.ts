// The `usage` event of a request: its tokens, its cost and the share of the window that is full; and the warnings that follow from it.

import { present } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import { costUsd, listPriceOf } from '@bridle/model-data/prices'
import type { ModelUsage } from '../../model/model.ts'
import { eventItem } from '../calls/call-items.ts'
import { CONTEXT_USAGE } from '../transcript/turn-record.ts'

/** The parts of the window at which readers are warned, in percent. */
const WARNING_PCTS = [75, 90] as const

/** The part of the window that a conversation fills, in percent with one decimal. */
export interface ContextUse {
  readonly tokens: number
  readonly window: number
}

export const usedPct = ({ tokens, window }: ContextUse): number => Math.round((tokens / window) * 1000) / 10

/** The tokens of one request. The cost is that of the price table, where it has the model. `use`: the conversation after the answer. */
export const requestUsageItem = (model: string, usage: ModelUsage, use: ContextUse | null): ReportItem => {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
  const cost = costOf(model, usage)
  const hasTokens = inputTokens !== undefined || outputTokens !== undefined
  return eventItem(
    'usage',
    present({
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: hasTokens ? (inputTokens ?? 0) + (outputTokens ?? 0) : undefined,
      cache_read_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
      cost_usd: cost ?? undefined,
      estimated: cost === null ? undefined : true,
      context_usage_pct: use === null ? undefined : usedPct(use),
      model,
    }),
  )
}

/** Null: no table has the model, or nobody counted. */
const costOf = (model: string, usage: ModelUsage): number | null => {
  const price = listPriceOf(model)
  const { inputTokens, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  if (price === null || inputTokens === undefined) return null
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens)
  const spent = { inputTokens: fresh, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens: 0 }
  return costUsd(spent, price, usage.audio)
}

/** A warning where the conversation passes a mark. `warnedPct`: the highest part since the last cut of which readers were warned. */
export const usageWarnings = (use: ContextUse, warnedPct: number): ReportItem[] => {
  const pct = usedPct(use)
  if (!WARNING_PCTS.some((mark) => mark <= pct && mark > warnedPct)) return []
  const message = `The conversation fills ${pct} % of the ${use.window} tokens that the model can read.`
  return [eventItem('context_warning', { kind: CONTEXT_USAGE, message, usage_pct: pct })]
}
