// `tool_outcome` without fields that a wire carries elsewhere. Others pass through, so that new fields need no change of a wire.
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
