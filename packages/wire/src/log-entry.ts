// Events as seen outside the server: no number is missing, and a table defines how much of each payload is exposed. Entries
// fold like events, so clients and servers compute a session's past the same way.
import { catalogue, type EventType, isEventType, type VisibleEventType } from '@bridle/events/catalogue'
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { AnyEvent } from '@bridle/kernel/event'
import type { LogEntry } from './http/wire.ts'

export type { LogEntry }

/** A function picks the fields that may leave the server. */
type EntryContent = 'whole' | 'withheld' | ((payload: JsonObject) => JsonObject)

const only =
  (...names: readonly string[]) =>
  (payload: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(payload).filter(([name]) => names.includes(name)))

const runStart = only('run_id', 'attempt', 'steer', 'provider', 'model', 'resumable', 'durable')
/** The handle contains the runner's address and credentials. Clients may only see the sandbox name. */
const runStartWithSandbox = (payload: JsonObject): JsonObject => {
  const { sandbox } = (isJsonObject(payload.handle) ? payload.handle : {}) as { readonly sandbox?: Json }
  return { ...runStart(payload), ...(typeof sandbox === 'string' && { handle: { sandbox } }) }
}

/** A new internal event type does not compile until it is classified here. Events on client streams are always whole. */
const contents: { readonly [T in Exclude<EventType, VisibleEventType>]: EntryContent } = {
  session_created: 'whole',
  parent_told: 'whole',
  prompt_queued: 'whole',
  prompt_dropped: 'whole',
  steered: 'whole',
  steer_delivered: 'whole',
  rewound: 'whole',
  // The handle of an engine's session would let any reader continue it, so `resume` and `resume_handle` stay here.
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
  // Needed only by the run itself: model requests and responses with their signatures, and private memory.
  model_step: 'withheld',
  context_added: 'withheld',
  step_done: 'withheld',
  memory_set: 'withheld',
  failure_dismissed: 'whole',
  health_changed: 'whole',
  artifact_chunk: 'whole',
}

/** Secrets are not scrubbed yet. Event types that this build does not know are withheld. */
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

export const entryWithoutContent = (entry: LogEntry): LogEntry =>
  entry.type === 'artifact_chunk' ? { ...entry, payload: { ...entry.payload, text: '' } } : entry

const contentOf = (type: string): EntryContent => {
  if (Object.hasOwn(contents, type)) return contents[type as keyof typeof contents]
  return isEventType(type) && catalogue[type].persisted ? 'whole' : 'withheld'
}
