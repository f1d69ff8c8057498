// The encoders produce `data`; nothing validates it.

import { APPROVAL_KINDS } from '@bridle/events/approval-kinds'
import type { Json, JsonObject } from '@bridle/events/json'
import { APPROVAL_DECISIONS, type ToolOutcome } from '@bridle/events/schemas'
import type { Directive } from '@bridle/kernel/directive'
import * as v from 'valibot'
import { approvalChildEntries } from '../../http/wire/approvals.ts'
import * as f from '../../http/wire/fields.ts'
import { answerEntries, questionEntries } from '../../http/wire/questions.ts'

const text = v.string()
const count = v.number()
const nullableText = v.nullable(text)
const json = v.custom<Json>(() => true)
const jsonObject = v.custom<JsonObject>(() => true)

const actor = {
  actor: nullableText,
  actorClaimed: f.optional(f.always(true, 'The caller supplied the name, since its credential has no user.')),
}

const dataSchema = f.answer('AgentEventData', 'The `data` of each type.', {
  prompt_start: f.object({ text, runId: text }, 'A run begins with this prompt.'),
  text_delta: f.object({ delta: text }, 'A piece of the answer.'),
  thinking_delta: f.object({ delta: text }, 'A piece of a thought.'),
  text_superseded: f.object(
    { runId: text, chars: count, thinkingChars: count },
    'Ours: a crash or a retry withdrew the end of the run’s answer. Cut the joined `text_delta` of the run to `chars` characters, and its joined `thinking_delta` to `thinkingChars`; what replaces them follows. A client of the document ignores this type.',
  ),
  tool_start: f.object({ toolName: text, args: jsonObject, toolCallId: text }, 'A tool call begins.'),
  tool_end: f.object(
    {
      toolName: text,
      toolCallId: text,
      isError: v.boolean(),
      result: json,
      outcome: f.optional(
        f.described(
          v.custom<ToolOutcome>(() => true),
          'Ours: the whole outcome of the log: the status, the time in milliseconds, and what else is known, such as the exit code.',
        ),
      ),
    },
    'A tool call has ended.',
  ),
  task_start: f.object({ taskId: text, status: text }, 'A subagent begins its work.'),
  task_end: f.object({ taskId: text, status: text, isError: v.boolean() }, 'A subagent has ended its work.'),
  approval_requested: f.object(
    {
      approvalId: text,
      kind: f.oneOf(APPROVAL_KINDS, 'Ours: the kind of the approval.'),
      subject: text,
      toolCallId: text,
      reason: text,
      args: jsonObject,
      ...questionEntries,
      ...approvalChildEntries,
      expiresAt: nullableText,
    },
    'The run waits for a person’s approval.',
  ),
  approval_resolved: f.object(
    {
      approvalId: text,
      subject: text,
      toolCallId: text,
      decision: f.oneOf(APPROVAL_DECISIONS, 'The decision.'),
      reason: nullableText,
      args: f.optional(
        f.described(jsonObject, 'The arguments that the call runs with, where the person changed them.'),
      ),
      ...answerEntries,
      ...approvalChildEntries,
    },
    'An approval has its answer.',
  ),
  compaction: f.object(
    {
      messagesBefore: f.nullable(f.amount('Null where the engine does not count them.')),
      messagesAfter: v.nullable(count),
      summary: nullableText,
    },
    'The engine replaced a part of the conversation with a summary.',
  ),
  checkpoint_created: f.object(
    { checkpointType: text, status: text, summary: text, cursor: nullableText },
    'The agent marked a point that the session can continue from.',
  ),
  artifact_published: f.object(
    {
      artifactId: text,
      name: text,
      contentType: text,
      size: count,
      kind: f.optional(f.text('The artifact’s use, such as `memory_proposal`, which waits for a person.')),
      reason: f.optional(text),
    },
    'The agent published an artifact.',
  ),
  custom: f.object({ name: text, data: jsonObject }, 'Ours: a custom event of the agent.'),
  directive: f.object(
    { directive: v.custom<Directive>(() => true) },
    'Ours: something for a shell to render or to execute, with the fields of OpenHarness.',
  ),
  execution_feedback: f.object(
    { entries: f.list(jsonObject, 'The claims of the shell.') },
    'Ours: what a shell says became of directives, with the fields of its profile.',
  ),
  operator_action: f.object(
    {
      action: f.oneOf(
        ['pause', 'resume', 'policy', 'branch', 'signal', 'memory', 'archive', 'unarchive', 'rename', 'import'],
        'The act.',
      ),
      ...actor,
      reason: nullableText,
      from: f.optional(f.text('The parent of the branch.')),
      eventId: f.optional(f.text('The event that the branch was made at.')),
      name: f.optional(f.text('The name of a signal, or the key of a value that the agent proposed for the memory.')),
      decision: f.optional(f.oneOf(['accepted', 'rejected'], 'The decision of a person about that value.')),
    },
    'Ours: an operator acted on the session; a cancel is `cancelled`. A client of the document ignores this type.',
  ),
  result: f.object({ result: json }, 'The run has ended with this result.'),
  cancelled: f.object(
    { runId: text, reason: nullableText, ...actor },
    'The run was cancelled, or its prompt left the queue before it ran: neither `result` nor `error` follows.',
  ),
  waiting: f.object({ runId: text, reason: text }, 'Ours: no sandbox is free yet; the run begins when one is.'),
  notice: f.object(
    {
      kind: f.oneOf(['queued', 'sandbox', 'retry', 'fallback', 'warning'], 'The kind of the notice.'),
      runId: nullableText,
      message: f.text('One line for people.'),
      retryAt: f.nullableTime('The time of the next try, in ISO 8601; null = none is planned.'),
    },
    'Ours: why a run does not get on. It is queued, its sandbox starts, its model is asked again or another one is. A client of the document ignores this type.',
  ),
  idle: f.described(
    v.custom<Record<string, never>>(() => true),
    'The session has nothing to do.',
  ),
  error: f.object({ message: text, reason: nullableText }, 'The run has failed.'),
  reset: f.object(
    { head: count },
    'The cursor was beyond the log, or of another incarnation: drop your events, all of them follow from the start.',
  ),
})
export type AgentEventData = f.AnswerOf<typeof dataSchema>

/** Event type on the Fabric wire. */
export type AgentEventType = keyof AgentEventData

/** Event of one type on the Fabric wire. */
export interface AgentEventOf<T extends AgentEventType> {
  /** Event id, `ev-<number>`. Streams resume after it. */
  readonly id: string
  /** Event type, which determines `data`. */
  readonly type: T
  /** ISO 8601. */
  readonly timestamp: string
  /** Session id. */
  readonly sessionId: string
  /** Event data. */
  readonly data: AgentEventData[T]
}

/** Session event on the Fabric wire. Narrows by `type`. */
export type AgentEvent = { [T in AgentEventType]: AgentEventOf<T> }[AgentEventType]
/** The name used by the socket's messages. */
export type FabricEvent = AgentEvent

const eventTypes = Object.keys(dataSchema.entries) as AgentEventType[]

export const agentEventSchema = f.answer('AgentEvent', 'An event of a session on the Fabric wire.', {
  id: f.text('The event’s id, `ev-<number>`: a stream resumes after it.'),
  type: f.described(v.picklist(eventTypes), 'The type, which says what `data` holds.'),
  timestamp: f.time('ISO 8601.'),
  sessionId: f.text('The id of the session.'),
  data: f.anyObject('The content of the event.'),
}) as unknown as v.GenericSchema<AgentEvent>
