// A cold fold: sequence numbers and small labels; payloads are read from the log when somebody asks.
import type { Projection } from './projection.ts'

/** Delegated work, by agent id: its latest status and where that was said. */
export type Subagents = { readonly [agentId: string]: { readonly status: string; readonly seq: number } }

export const subagents: Projection<Subagents> = {
  initial: {},
  on: {
    subagent_event: (state, { seq, payload }) => ({ ...state, [payload.agent_id]: { status: payload.status, seq } }),
  },
}
