// The reports that a tool call of a function makes: its beginning, its result and its outcome.

import type { Json } from '@bridle/events/json'
import { OUTCOME_TYPES, outcomeFactsIn, type ToolOutcome, type ToolStatus } from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import type { CallName } from '../loop/calls/call-items.ts'
import { agentEventItem } from '../session/session-items.ts'
import type { CallRecord } from '../steps/memo.ts'

export const intent = ({ id, tool, arguments: args, effect, stepId }: CallRecord): ReportItem =>
  agentEventItem('tool_call', {
    ...{ name: tool, arguments: args, tool_call_id: id, effect },
    ...(stepId !== id && { retry_of: stepId }),
  })

/** The session makes an artifact of a result that is too large for an event. */
export const success = (call: CallName, result: Json, elapsedMs: number): ReportItem[] => [
  agentEventItem('tool_result', { tool_call_id: call.id, tool_name: call.tool, result }),
  outcome(call, 'ok', elapsedMs, { result, ...outcomeFactsIn(result) }),
]

export const outcome = (
  { id, tool }: CallName,
  status: ToolStatus,
  elapsedMs: number,
  more: Partial<ToolOutcome> & { readonly result?: Json; readonly transient?: boolean },
): ReportItem =>
  agentEventItem('tool_outcome', {
    tool_call_id: id,
    tool_name: tool,
    outcome_type: OUTCOME_TYPES[status],
    status,
    elapsed_ms: elapsedMs,
    ...more,
  })

export const abandonedOutcome = (call: CallRecord): ReportItem =>
  outcome(call, 'error', 0, { reason: 'abandoned', error: 'The agent did not make this call again.' })
