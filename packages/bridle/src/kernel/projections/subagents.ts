// A cold fold: sequence numbers and small labels; payloads are read from the log when somebody asks.
import type { Projection } from './projection.ts'

/** Delegated work, by agent id: its latest status and where that was said. */
export type Subagents = { readonly [agentId: string]: Subagent }

export interface Subagent {
  readonly status: string
  readonly seq: number
  /** Of a session: the number of its event that this was about. */
  readonly childSeq?: number
}

export const subagents: Projection<Subagents> = {
  initial: {},
  on: {
    subagent_event: (state, { seq, payload: { agent_id, status, child_seq: childSeq } }) => ({
      ...state,
      [agent_id]: { status, seq, ...(childSeq !== undefined && { childSeq }) },
    }),
  },
}
