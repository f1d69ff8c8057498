// A cold fold: sequence numbers and small labels; payloads are read from the log when somebody asks.
import type { Projection } from './projection.ts'

/** Who took part besides the runtime and the agent. Envelopes are the log's tail, read on request. */
export interface Channel {
  readonly operator: boolean
  readonly tools: readonly string[]
}

export const channel: Projection<Channel> = {
  initial: { operator: false, tools: [] },
  on: {
    tool_call: (state, { payload }) =>
      state.tools.includes(payload.name) ? state : { ...state, tools: [...state.tools, payload.name] },
    approval_required: (state) => (state.operator ? state : { ...state, operator: true }),
  },
}
