// The event map is total: a new event type does not compile until it is handled here.

import type { EventType } from '@bridle/events/catalogue'
import { type JsonObject, present } from '@bridle/events/json'
import type { Directive } from '@bridle/kernel/directive'
import { type AnyEvent, type Event, eventId, type Key } from '@bridle/kernel/event'
import { withoutCallId } from '@bridle/kernel/ids'
import { eventWithIncarnations, FIRST_INCARNATIONS, type Incarnations } from '@bridle/kernel/positions/incarnation'
import { positionText } from '@bridle/kernel/positions/log-position'
import { isTaskOver } from '@bridle/kernel/projections/indexes/subagents'
import { childField, givenAnswer, requestFields } from '@bridle/kernel/question-request'
import type { Audience } from '@bridle/kernel/session/subscribers'
import { toolOutcomeOf } from '@bridle/kernel/tool-outcome'
import { noticeOf } from '@bridle/kernel/views/notice'
import type {
  AgentEvent,
  AgentEventData,
  AgentEventType,
  FabricClientMessage,
  FabricServerMessage,
} from '@bridle/wire/fabric/wire'
import { fabricMessageSchema } from '@bridle/wire/fabric/wire/messages'
import { parseMessage } from '../http/requests/parse-input.ts'
import { frameAudience } from '../http/streams/sse.ts'

type AgentEventContent = { [T in AgentEventType]: readonly [T, AgentEventData[T]] }[AgentEventType]

export const agentEvent = (key: Key, logged: AnyEvent, logs: Incarnations = FIRST_INCARNATIONS): AgentEvent | null => {
  // This wire cannot mark hearsay: clients would mistake a runner's claim for an operator's action or the end of a turn.
  if (logged.hearsay || !Object.hasOwn(eventEncoders, logged.type)) return null
  const event = eventWithIncarnations(logged, key, logs)
  const content = (eventEncoders[event.type] as ((event: AnyEvent) => AgentEventContent | null) | null)?.(event)
  if (!content) return null
  const [type, data] = content
  return {
    id: eventId(event.seq, logs.own),
    type,
    timestamp: new Date(event.at).toISOString(),
    sessionId: key.id,
    data,
  } as AgentEvent
}

export const isCarried =
  (key: Key) =>
  (event: AnyEvent): boolean =>
    agentEvent(key, event) !== null

/** The only event outside of the log: the cursor was not from this log, so all events follow. */
export const resetEvent = (
  key: Key,
  head: number,
  at: number,
  logs: Incarnations = FIRST_INCARNATIONS,
): AgentEvent => ({
  id: `reset-${positionText(head, logs.own)}`,
  type: 'reset',
  timestamp: new Date(at).toISOString(),
  sessionId: key.id,
  data: { head },
})

export const streamAudience = (key: Key, logs: Incarnations = FIRST_INCARNATIONS): Audience =>
  frameAudience('fabric:sse', logs, (event) => agentEvent(key, event, logs))

/** Frames a line per message, since JSON text contains no line breaks. */
export const socketAudience = (key: Key, logs: Incarnations): Audience => ({
  key: 'fabric:ws',
  encode: ({ events }) => {
    const messages: string[] = []
    for (const event of events) {
      const message = eventMessage(key, event, logs)
      if (message !== null) messages.push(message)
    }
    return messages.join('\n')
  },
})

const eventMessage = (key: Key, event: AnyEvent, logs: Incarnations): string | null => {
  const shown = agentEvent(key, event, logs)
  return shown && JSON.stringify({ type: 'event', event: shown } satisfies FabricServerMessage)
}

/** `text` is null for binary messages. */
export const parseFabricMessage = (text: string | null): FabricClientMessage | { readonly problem: string } => {
  if (text === null) return { problem: 'Messages are JSON text; this one was binary.' }
  const parsed = parseMessage(fabricMessageSchema, text)
  return 'problem' in parsed ? parsed : parsed.message
}

const eventEncoders: { readonly [T in EventType]: ((event: Event<T>) => AgentEventContent | null) | null } = {
  turn_start: ({ payload }) => ['prompt_start', { text: payload.prompt, runId: payload.turn_id }],
  token: ({ payload }) => ['text_delta', { delta: payload.text }],
  output_superseded: ({ payload: { run_id, keep } }) => [
    'text_superseded',
    { runId: run_id, chars: keep?.chars ?? 0, thinkingChars: keep?.thinking_chars ?? 0 },
  ],
  thinking: ({ payload }) => ['thinking_delta', { delta: payload.text }],
  reflection: ({ payload }) => ['thinking_delta', { delta: payload.text }],
  tool_call: ({ payload }) => [
    'tool_start',
    { toolName: payload.name, args: withoutCallId(payload.arguments), toolCallId: payload.tool_call_id },
  ],
  tool_outcome: ({ payload }) => [
    'tool_end',
    {
      toolName: payload.tool_name,
      toolCallId: payload.tool_call_id,
      isError: payload.status !== 'ok' && payload.status !== 'artifact',
      result: payload.result ?? payload.error ?? payload.reason ?? null,
      outcome: toolOutcomeOf(payload),
    },
  ],
  subagent_event: ({ payload }) => {
    const shared = { taskId: payload.agent_id, status: payload.status }
    return isTaskOver(payload.status)
      ? ['task_end', { ...shared, isError: payload.status !== 'completed' }]
      : ['task_start', shared]
  },
  approval_required: ({ payload }) => [
    'approval_requested',
    {
      approvalId: payload.request_id,
      ...requestFields(payload),
      subject: payload.tool_name,
      toolCallId: payload.tool_call_id,
      reason: payload.reason,
      args: withoutCallId(payload.arguments ?? {}),
      expiresAt: payload.expires_at ?? null,
      ...(payload.child && { child: childField(payload.child) }),
    },
  ],
  approval_applied: ({ payload }) => [
    'approval_resolved',
    {
      approvalId: payload.request_id,
      subject: payload.tool_name,
      toolCallId: payload.tool_call_id,
      decision: payload.decision ?? 'approved',
      reason: payload.reason ?? null,
      ...(payload.arguments && { args: withoutCallId(payload.arguments) }),
      ...givenAnswer(payload),
      ...(payload.child && { child: childField(payload.child) }),
    },
  ],
  context_compacted: ({ payload }) => [
    'compaction',
    {
      messagesBefore: payload.original_count ?? null,
      messagesAfter: payload.compacted_count ?? null,
      summary: payload.summary ?? null,
    },
  ],
  session_checkpoint: ({ payload }) => [
    'checkpoint_created',
    {
      checkpointType: payload.checkpoint_type,
      status: payload.status,
      summary: payload.summary_text,
      cursor: payload.resume_cursor ?? null,
    },
  ],
  artifact_published: ({ payload }) => [
    'artifact_published',
    {
      artifactId: payload.artifact_id,
      name: payload.name,
      contentType: payload.content_type,
      size: payload.size,
      ...present({ kind: payload.kind, reason: payload.reason }),
    },
  ],
  completed: ({ payload }) => ['result', { result: payload.result ?? null }],
  error: ({ payload }) => ['error', { message: payload.message, reason: payload.reason ?? null }],
  // A run that has not started gets `prompt_dropped` instead.
  cancel_requested: ({ run, payload: { run_id, reason, ...by } }) =>
    run === undefined ? null : ['cancelled', { runId: run_id, reason: reason ?? null, ...actorOf(by) }],
  prompt_dropped: ({ payload: { run_id, reason, ...by } }) => ['cancelled', { runId: run_id, reason, ...actorOf(by) }],
  sandbox_awaited: ({ payload: { run_id, reason } }) =>
    reason === null ? null : ['waiting', { runId: run_id, reason }],
  // Between queued prompts the session is not idle.
  turn_end: ({ payload }) => (payload.queued ? null : ['idle', {}]),

  custom_event: ({ payload }) => ['custom', { name: payload.name, data: payload.data as JsonObject }],
  directive: ({ payload }) => ['directive', { directive: payload as Directive }],
  execution_feedback: ({ payload }) => ['execution_feedback', { entries: payload.entries as readonly JsonObject[] }],
  session_paused: ({ payload }) => (payload.operator ? operatorAction('pause', payload) : null),
  session_resumed: ({ payload }) => operatorAction('resume', payload),
  session_archived: ({ payload }) => operatorAction('archive', payload),
  session_unarchived: ({ payload }) => operatorAction('unarchive', payload),
  session_renamed: ({ payload }) =>
    operatorAction('rename', { ...payload, reason: undefined }, { name: payload.title }),
  policy_set: ({ payload }) => operatorAction('policy', payload),
  signal_received: ({ payload }) => operatorAction('signal', { ...payload, reason: undefined }, { name: payload.name }),
  memory_decided: ({ payload }) => operatorAction('memory', payload, { name: payload.key, decision: payload.decision }),
  branched: ({ payload }) =>
    operatorAction('branch', payload, { from: payload.parent.id, eventId: payload.source_event_id }),

  session_imported: ({ payload }) => operatorAction('import', payload, { from: payload.source.id }),

  session: null,
  session_state: null,
  policy_decision: null,
  hook_event: null,
  sandbox_notice: (event) => notice(event),
  transport_diagnostic: (event) => notice(event),
  retry_scheduled: (event) => notice(event),
  prompt_queued: (event) => notice(event),
  turn_start_tools: null,
  response: ({ run, payload: { text, so_far, thinking_chars } }) =>
    // Older logs have no `thinking_chars`, and their texts may be more than a beginning.
    run !== undefined && so_far && thinking_chars !== undefined
      ? ['text_superseded', { runId: run, chars: text.length, thinkingChars: thinking_chars }]
      : null,
  tool_result: null,
  tool_batch: null,
  tool_selected: null,
  tool_validation_error: null,
  context_warning: null,
  instructions_loaded: null,
  step_progress: null,
  usage: null,
  retrieval: null,
  antahkarana: null,
  session_created: null,
  parent_told: null,
  steered: null,
  steer_delivered: null,
  rewound: null,
  run_requested: null,
  run_started: null,
  run_parked: null,
  run_stopped: null,
  run_resumed: null,
  run_excused: null,
  run_waiting: null,
  run_woken: null,
  answer_heard: null,
  model_step: null,
  context_added: null,
  step_done: null,
  memory_set: null,
  resume_handle: null,
  approval_decided: null,
  approval_delivered: null,
  failure_dismissed: null,
  budget_crossed: null,
  budget_raised: null,
  health_changed: null,
  artifact_chunk: null,
}

const notice = (event: AnyEvent): AgentEventContent | null => {
  const found = noticeOf(event)
  if (!found) return null
  const { kind, runId, message, retryAt } = found
  return ['notice', { kind, runId, message, retryAt: retryAt === undefined ? null : new Date(retryAt).toISOString() }]
}

interface ActorAndReason {
  readonly actor?: string | undefined
  readonly actor_claimed?: true | undefined
  readonly reason?: string | undefined
}

const actorOf = ({
  actor,
  actor_claimed,
}: ActorAndReason): { readonly actor: string | null; readonly actorClaimed?: true } => ({
  actor: actor ?? null,
  ...(actor_claimed && { actorClaimed: true }),
})

const operatorAction = (
  action: AgentEventData['operator_action']['action'],
  { reason, ...by }: ActorAndReason,
  more: Pick<AgentEventData['operator_action'], 'from' | 'eventId' | 'name' | 'decision'> = {},
): AgentEventContent => ['operator_action', { action, ...actorOf(by), reason: reason ?? null, ...more }]
