// The tasks of runs that child sessions do, as long as they are under way. The end of a child removes its task.
import { ownProperty } from '@bridle/events/json'
import type { Policy } from '@bridle/events/schemas'
import { isTaskOver } from './indexes/subagents.ts'
import type { Projection } from './projection.ts'

export interface Delegation {
  readonly agent: string
  /** Empty: nobody waits for the child, which started after its call was over. */
  readonly toolCallId: string
  /** The policy of the child: its budgets are its share of what its parent had left. */
  readonly policy: Policy
}

/** Tasks under way, by the id of the child. */
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
      const { [id]: _over, ...rest } = state
      return rest
    },
    // The children of its parent do nothing for a branch.
    branched: () => delegations.initial,
    session_imported: () => delegations.initial,
  },
}
