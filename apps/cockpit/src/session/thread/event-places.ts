// Where the page of a session shows each event that a frontend may meet. A type that the server gets and this table lacks does
// not compile, and a test holds the table equal to `/stream-events`.
import type { StreamEnvelope } from 'bridle/client'

type EventType = StreamEnvelope['type']

/**
 * `message`: in the text, the thoughts or the end of an answer. `tool`: in the row of its call. `opening`: a marker before the text
 * that follows from it. `closing`: a marker after the text that led to it. `aside`: a marker right behind the call before it, and
 * after the text where no call follows. `strip`: above the thread. `inspector`: beside it.
 */
export type EventPlace = 'message' | 'tool' | 'opening' | 'closing' | 'aside' | 'strip' | 'inspector'

export const eventPlaces: { readonly [type in EventType]: EventPlace } = {
  session: 'strip',
  session_state: 'strip',
  session_checkpoint: 'aside',
  policy_decision: 'inspector',
  hook_event: 'inspector',
  sandbox_notice: 'inspector',
  transport_diagnostic: 'inspector',
  subagent_event: 'inspector',
  turn_start: 'message',
  turn_start_tools: 'inspector',
  token: 'message',
  response: 'message',
  thinking: 'message',
  reflection: 'message',
  tool_call: 'tool',
  tool_result: 'tool',
  tool_outcome: 'tool',
  tool_batch: 'tool',
  tool_selected: 'inspector',
  tool_validation_error: 'inspector',
  context_warning: 'opening',
  context_compacted: 'message',
  step_progress: 'strip',
  usage: 'strip',
  retrieval: 'opening',
  antahkarana: 'opening',
  approval_required: 'tool',
  approval_applied: 'opening',
  turn_end: 'message',
  completed: 'message',
  error: 'message',
  session_paused: 'aside',
  session_resumed: 'aside',
  session_archived: 'aside',
  session_unarchived: 'aside',
  session_renamed: 'aside',
  cancel_requested: 'aside',
  policy_set: 'aside',
  signal_received: 'opening',
  memory_decided: 'aside',
  branched: 'aside',
  session_imported: 'aside',
  budget_crossed: 'aside',
  budget_raised: 'aside',
  retry_scheduled: 'aside',
  output_superseded: 'aside',
  artifact_published: 'message',
  custom_event: 'closing',
  directive: 'closing',
  execution_feedback: 'closing',
  instructions_loaded: 'inspector',
}

/** An event of an agent's own name is shown where it stands. */
export const placeOf = (type: string): EventPlace =>
  Object.hasOwn(eventPlaces, type) ? eventPlaces[type as EventType] : 'closing'
