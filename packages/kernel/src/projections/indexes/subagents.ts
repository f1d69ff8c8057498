// Delegated work, as a cold fold: sequence numbers and small labels; payloads are read from the log on request.
import { ownProperty, present } from '@bridle/events/json'
import type { Projection } from '../projection.ts'

export interface Subagent {
  readonly status: string
  /** Number of the event with this status. */
  readonly seq: number
  /** Number of the first event about the work, which holds its description. */
  readonly firstSeq: number
  /** The time of that event. */
  readonly startedAt: number
  /** The run of the work; null: the work is independent of runs here. */
  readonly runId: string | null
  /** For a child session: the number of the child's event that caused the status. */
  readonly childSeq?: number
  /** The call that delegates the work; absent = not known. */
  readonly toolCallId?: string
}

export type Subagents = { readonly [agentId: string]: Subagent }

export const subagents: Projection<Subagents> = {
  initial: {},
  on: {
    subagent_event: (state, { seq, at, run, payload }) => {
      const { agent_id: id, status, child_seq: childSeq } = payload
      const known = ownProperty(state, id)
      const firstSeq = known?.firstSeq ?? seq
      const toolCallId = payload.tool_call_id ?? known?.toolCallId
      const startedAt = known?.startedAt ?? at
      const subagent = { status, seq, firstSeq, startedAt, runId: run ?? null, ...present({ childSeq, toolCallId }) }
      return { ...state, [id]: subagent }
    },
  },
}

/** The status of a child session that has taken further steps. */
export const PROGRESS = 'progress'

export const isTaskOver = (status: string): boolean => TASK_ENDS.has(status)

/** The engines' words for finished work; any other status means running. */
const TASK_ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'error', 'stopped', 'interrupted'])
