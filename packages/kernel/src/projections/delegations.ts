// Only tasks in progress: the end of a child removes its task.
import { omit, ownProperty } from '@bridle/events/json'
import type { Policy } from '@bridle/events/schemas'
import { isTaskOver } from './indexes/subagents.ts'
import type { Projection } from './projection.ts'

export interface Delegation {
  readonly agent: string
  /** Empty if no call waits for the child, which started too late. */
  readonly toolCallId: string
  /** Includes the child's share of the parent's remaining budgets. */
  readonly policy: Policy
}

/** By child id. */
export type Delegations = { readonly [childId: string]: Delegation }

export const delegations: Projection<Delegations> = {
  initial: {},
  on: {
    subagent_event: (state, { payload }) => {
      const { agent_id: id, status, session_id, agent, tool_call_id: toolCallId, child_seq, policy = {} } = payload
      if (session_id === undefined || agent === undefined) return state
      if (child_seq === undefined)
        return toolCallId === undefined ? state : { ...state, [id]: { agent, toolCallId, policy } }
      if (payload.abandoned) return { ...state, [id]: { agent, toolCallId: '', policy: {} } }
      if (!isTaskOver(status) || ownProperty(state, id)?.agent !== agent) return state
      return omit(state, id)
    },
    // A branch has none of its parent's children.
    branched: () => delegations.initial,
    session_imported: () => delegations.initial,
  },
}
