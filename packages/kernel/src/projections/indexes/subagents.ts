import { ownProperty, present } from '@bridle/events/json'
import type { Projection } from '../projection.ts'

export interface Subagent {
  readonly status: string
  readonly seq: number
  /** The first event about the work, which has its description. */
  readonly firstSeq: number
  readonly startedAt: number
  /** Null if the work is independent of runs. */
  readonly runId: string | null
  /** The event in the child session that caused the status. */
  readonly childSeq?: number
  /** The delegating call, if known. */
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

/** Status of a child session after further steps. */
export const PROGRESS = 'progress'

export const isTaskOver = (status: string): boolean => TASK_ENDS.has(status)

/** Engines use different words. Any other status means running. */
const TASK_ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'error', 'stopped', 'interrupted'])
