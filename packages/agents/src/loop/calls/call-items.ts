// The reports of a model's tool call: its intent, its question to a person, and its outcome. Each call has exactly one outcome.

import type { Json, JsonObject } from '@bridle/events/json'
import {
  OUTCOME_TYPES,
  outcomeFactsIn,
  type Payloads,
  type ToolEffect,
  type ToolOutcome,
  type ToolStatus,
} from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import type { Tool } from '../../tools/tool.ts'

export interface CallName {
  readonly id: string
  readonly tool: string
}

/** The call is about to be made: the log says so before it happens. */
export const intentItem = (
  { id, tool }: CallName,
  args: JsonObject,
  effect: ToolEffect,
  directive: Tool['directive'] = null,
): ReportItem =>
  eventItem('tool_call', {
    ...{ name: tool, arguments: args, tool_call_id: id, effect },
    ...(directive && { action_type: directive.action_type }),
  })

/** The call has a result. The session makes an artifact of one that is too large for the wires. */
export const resultItems = (call: CallName, result: Json, elapsedMs: number): ReportItem[] => [
  eventItem('tool_result', { tool_call_id: call.id, tool_name: call.tool, result }),
  outcomeItem(call, 'ok', { elapsed_ms: elapsedMs, result, ...outcomeFactsIn(result) }),
]

/** The call has no result. `error` is a sentence for the model and for people, `reason` a code. */
export const outcomeItem = (
  { id, tool }: CallName,
  status: ToolStatus,
  more: Omit<ToolOutcome, 'status'> & { readonly result?: Json },
): ReportItem =>
  eventItem('tool_outcome', {
    tool_call_id: id,
    tool_name: tool,
    outcome_type: OUTCOME_TYPES[status],
    status,
    ...more,
  })

export const eventItem = <T extends keyof Payloads>(type: T, payload: Payloads[T]): ReportItem =>
  ({ type: 'event', event: { type, payload } }) as ReportItem

/** The error of an interrupted call whose tool the agent does not have any more. */
export const toolGoneMessage = (tool: string): string =>
  `The tool "${tool}" was removed. It is unknown whether the call has happened.`
