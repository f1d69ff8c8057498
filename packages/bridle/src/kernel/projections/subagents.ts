// A cold fold: sequence numbers and small labels; payloads are read from the log when somebody asks.
import type { Projection } from './projection.ts'

export interface Subagent {
  readonly status: string
  /** Where that was said. */
  readonly seq: number
  /** Where the work was first spoken of: its description is there. */
  readonly firstSeq: number
  /** The run that it belongs to; null = none, it goes on whatever runs here. */
  readonly runId: string | null
  /** Where the work is a session: the number of its event that this was about. */
  readonly childSeq?: number
}

/** Delegated work, by agent id. */
export type Subagents = { readonly [agentId: string]: Subagent }

export const subagents: Projection<Subagents> = {
  initial: {},
  on: {
    subagent_event: (state, { seq, run, payload }) => {
      const { agent_id: id, status, child_seq: childSeq } = payload
      const firstSeq = Object.hasOwn(state, id) ? (state[id]?.firstSeq ?? seq) : seq
      const subagent = { status, seq, firstSeq, runId: run ?? null, ...(childSeq !== undefined && { childSeq }) }
      return { ...state, [id]: subagent }
    },
  },
}

/** Whether delegated work with this status is over. */
export const isTaskOver = (status: string): boolean => TASK_ENDS.has(status)

/** In the words of the engines; any other status is of work under way. */
const TASK_ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'error', 'stopped', 'interrupted'])
