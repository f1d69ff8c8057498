// How a tool call ended, as every wire carries it: the log's `tool_outcome` without the fields that its place on a wire has already. All other
// fields pass, so that a new one needs no wire to know it.
import type { Payloads, ToolOutcome } from '@bridle/events/schemas'

export const toolOutcomeOf = (payload: Payloads['tool_outcome']): ToolOutcome => {
  const {
    tool_call_id: _id,
    tool_name: _name,
    outcome_type: _type,
    result: _result,
    agent_id: _agent,
    ...outcome
  } = payload
  return outcome
}
