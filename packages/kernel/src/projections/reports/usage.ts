// Tokens by kind, and whether sums were reported. Budgets use the sums of tokens and cost in the health fold.
import type { Projection } from '../projection.ts'

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Token reports. Some engines report every model call. */
  readonly modelCalls: number
  /** Without a reported cost, a sum of zero means unknown. */
  readonly isPriced: boolean
  /** Null if unknown, or compacted since. */
  readonly contextPct: number | null
}

export const usage: Projection<Usage> = {
  initial: { inputTokens: 0, outputTokens: 0, modelCalls: 0, isPriced: false, contextPct: null },
  on: {
    usage: (state, { payload }) => {
      const { input_tokens = 0, output_tokens = 0, total_tokens = 0, cost_usd, context_usage_pct } = payload
      // A final report may only correct the cost.
      const isCall = input_tokens + output_tokens + total_tokens > 0
      return {
        inputTokens: state.inputTokens + input_tokens,
        outputTokens: state.outputTokens + output_tokens,
        modelCalls: state.modelCalls + (isCall ? 1 : 0),
        isPriced: state.isPriced || cost_usd !== undefined,
        contextPct: context_usage_pct ?? state.contextPct,
      }
    },
    // Children without a known cost report zero.
    subagent_event: (state, { payload }) =>
      payload.usage === undefined ? state : { ...state, isPriced: state.isPriced || payload.usage.cost_usd > 0 },
    context_warning: (state, { payload: { usage_pct } }) =>
      usage_pct === undefined || usage_pct === state.contextPct ? state : { ...state, contextPct: usage_pct },
    context_compacted: (state) => (state.contextPct === null ? state : { ...state, contextPct: null }),
    // A branch has not used anything yet.
    branched: () => usage.initial,
  },
}
