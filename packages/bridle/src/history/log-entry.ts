// An event of a session's log as a reader outside the server gets it: every number is there, and a table says for each event type how
// much of its payload is. The same fold reads entries and events, so the past of a session is worked out alike on both sides.
import type { EventType } from '../kernel/catalogue.ts'
import type { AnyEvent } from '../kernel/event.ts'
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { LogEntry } from '../surfaces/http/wire.ts'

export type { LogEntry }

/** whole: all fields. withheld: none. A function picks those that may leave the server. */
type EntryContent = 'whole' | 'withheld' | ((payload: JsonObject) => JsonObject)

const only =
  (...names: readonly string[]) =>
  (payload: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(payload).filter(([name]) => names.includes(name)))

const runStart = only('run_id', 'attempt', 'steer', 'provider', 'model', 'resumable', 'durable')
/** A handle has the address of a runner and how to reach it; clients know only the name of the sandbox. */
const runStartWithSandbox = (payload: JsonObject): JsonObject => {
  const { sandbox } = (isJsonObject(payload.handle) ? payload.handle : {}) as { readonly sandbox?: Json }
  return { ...runStart(payload), ...(typeof sandbox === 'string' && { handle: { sandbox } }) }
}

/** Each event type once: a new type does not compile before somebody decides what of it may leave the server. */
const contents: { readonly [T in EventType]: EntryContent } = {
  session: 'withheld',
  session_state: 'whole',
  session_checkpoint: 'whole',
  policy_decision: 'whole',
  hook_event: 'whole',
  sandbox_notice: 'whole',
  transport_diagnostic: 'whole',
  subagent_event: 'whole',
  turn_start: 'whole',
  turn_start_tools: 'whole',
  token: 'whole',
  response: 'whole',
  thinking: 'whole',
  reflection: 'whole',
  tool_call: 'whole',
  tool_result: 'whole',
  tool_outcome: 'whole',
  tool_batch: 'whole',
  tool_selected: 'whole',
  tool_validation_error: 'whole',
  context_warning: 'whole',
  context_compacted: 'whole',
  step_progress: 'whole',
  usage: 'whole',
  retrieval: 'whole',
  antahkarana: 'whole',
  approval_required: 'whole',
  approval_applied: 'whole',
  turn_end: 'whole',
  completed: 'whole',
  error: 'whole',
  session_paused: 'whole',
  session_resumed: 'whole',
  session_archived: 'whole',
  session_renamed: 'whole',
  session_unarchived: 'whole',
  cancel_requested: 'whole',
  policy_set: 'whole',
  signal_received: 'whole',
  memory_decided: 'whole',
  branched: 'whole',
  session_imported: 'whole',
  budget_crossed: 'whole',
  budget_raised: 'whole',
  retry_scheduled: 'whole',
  output_superseded: 'whole',
  artifact_published: 'whole',
  custom_event: 'whole',
  directive: 'whole',
  execution_feedback: 'whole',
  session_created: 'whole',
  parent_told: 'whole',
  prompt_queued: 'whole',
  prompt_dropped: 'whole',
  steered: 'whole',
  steer_delivered: 'whole',
  rewound: 'whole',
  // With the handle of an engine's own session anybody could continue there: `resume` stays, and so does `resume_handle`.
  run_requested: only('run_id', 'attempt', 'continues', 'kept_chars'),
  run_started: runStartWithSandbox,
  sandbox_awaited: 'whole',
  run_parked: 'whole',
  run_stopped: 'whole',
  resume_handle: 'withheld',
  approval_decided: 'whole',
  approval_delivered: 'whole',
  run_resumed: 'whole',
  run_excused: 'whole',
  run_waiting: 'whole',
  run_woken: 'whole',
  answer_heard: 'whole',
  // Facts by which only the run itself continues: requests and answers of models with their signatures, and private memory.
  model_step: 'withheld',
  context_added: 'withheld',
  step_done: 'withheld',
  memory_set: 'withheld',
  failure_dismissed: 'whole',
  health_changed: 'whole',
  artifact_chunk: 'whole',
}

/** An event as the log of the wire has it, with the text as it is. A type that this build does not know is withheld. */
export const unscrubbedEntryOf = (event: AnyEvent): LogEntry => {
  const content = contentOf(event.type)
  const { seq, at, type, run, attempt, continues } = event
  const fields = {
    ...{ seq, at, type },
    ...(run !== undefined && { run }),
    ...(attempt !== undefined && { attempt }),
    ...(continues !== undefined && { continues }),
  }
  if (content === 'withheld') return { ...fields, withheld: true, payload: {} }
  const payload = event.payload as JsonObject
  return {
    ...fields,
    ...(event.hearsay && { hearsay: true }),
    payload: content === 'whole' ? payload : content(payload),
  }
}

/** An entry without the text of an artifact, for readers that show none of it. */
export const entryWithoutContent = (entry: LogEntry): LogEntry =>
  entry.type === 'artifact_chunk' ? { ...entry, payload: { ...entry.payload, text: '' } } : entry

const contentOf = (type: string): EntryContent =>
  Object.hasOwn(contents, type) ? contents[type as EventType] : 'withheld'
