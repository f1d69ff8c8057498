// An event of a session's log as a reader outside the server gets it: every number is there, and a table says for each event type how
// much of its payload is. The same fold reads entries and events, so the past of a session is worked out alike on both sides.
import { catalogue, type EventType, isEventType, type VisibleEventType } from '@bridle/events/catalogue'
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { AnyEvent } from '@bridle/kernel/event'
import type { LogEntry } from './http/wire.ts'

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

/**
 * The internal event types: a new one does not compile until this table says what of it may leave the server. Events on the streams of
 * clients are always whole.
 */
const contents: { readonly [T in Exclude<EventType, VisibleEventType>]: EntryContent } = {
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

const contentOf = (type: string): EntryContent => {
  if (Object.hasOwn(contents, type)) return contents[type as keyof typeof contents]
  return isEventType(type) && catalogue[type].persisted ? 'whole' : 'withheld'
}
