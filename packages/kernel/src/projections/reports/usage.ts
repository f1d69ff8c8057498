// The tokens of a session by kind, and which sums somebody has told. The sums of tokens and cost are those of its health: budgets
// read them there.
import type { Projection } from '../projection.ts'

export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Reports of tokens: an engine that tells each model call has one for each. */
  readonly modelCalls: number
  /** Somebody has told a cost: without one, a sum of zero is no cost of zero. */
  readonly isPriced: boolean
  /** Null: nobody has told, or the context was compacted since. */
  readonly contextPct: number | null
}

export const usage: Projection<Usage> = {
  initial: { inputTokens: 0, outputTokens: 0, modelCalls: 0, isPriced: false, contextPct: null },
  on: {
    usage: (state, { payload }) => {
      const { input_tokens = 0, output_tokens = 0, total_tokens = 0, cost_usd, context_usage_pct } = payload
      // The last report of a turn may correct the cost alone.
      const isCall = input_tokens + output_tokens + total_tokens > 0
      return {
        inputTokens: state.inputTokens + input_tokens,
        outputTokens: state.outputTokens + output_tokens,
        modelCalls: state.modelCalls + (isCall ? 1 : 0),
        isPriced: state.isPriced || cost_usd !== undefined,
        contextPct: context_usage_pct ?? state.contextPct,
      }
    },
    // A child that knows no cost reports zero.
    subagent_event: (state, { payload }) =>
      payload.usage === undefined ? state : { ...state, isPriced: state.isPriced || payload.usage.cost_usd > 0 },
    context_warning: (state, { payload: { usage_pct } }) =>
      usage_pct === undefined || usage_pct === state.contextPct ? state : { ...state, contextPct: usage_pct },
    context_compacted: (state) => (state.contextPct === null ? state : { ...state, contextPct: null }),
    // A branch has used nothing yet, as its health says.
    branched: () => usage.initial,
  },
}
