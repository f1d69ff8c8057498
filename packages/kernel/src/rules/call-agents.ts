// The subagent behind a call: a child session, or the subagent of an engine that the delegating call started.
import { ownProperty } from '@bridle/events/json'
import type { Payloads } from '@bridle/events/schemas'
import type { DecisionBuilder } from './decision-builder.ts'

type AgentField = { readonly agent_id?: string }

export const agentOfNewCall = (w: DecisionBuilder, payload: Payloads['tool_call']): AgentField => {
  if (payload.agent_id !== undefined) return {}
  if (w.state.lifecycle.delegation) return { agent_id: w.key.id }
  const parent = payload.parent_tool_call_id
  if (typeof parent !== 'string') return {}
  const runId = w.run?.runId
  const found = Object.entries(w.state.subagents).findLast(
    ([, subagent]) => subagent.toolCallId === parent && subagent.runId === runId,
  )
  // Calls of nested subagents belong to the same delegated work.
  return found ? { agent_id: found[0] } : agentOfCall(w, parent)
}

export const agentOfCall = ({ state }: DecisionBuilder, callId: string): AgentField => {
  const agentId = ownProperty(state.lifecycle.tools, callId)?.agentId
  return agentId === undefined ? {} : { agent_id: agentId }
}
