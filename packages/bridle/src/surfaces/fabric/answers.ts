// The declared answers of the Fabric document's own routes.
import * as v from 'valibot'
import {
  answerSchema,
  anyJson,
  anyObject,
  count,
  flag,
  jsonAnswer,
  nullableText,
  streamAnswer,
  text,
  time,
} from '../http/answers/answer-schema.ts'
import { artifactExample, messageExamples, sessionCardExample } from '../http/answers/session-examples.ts'
import { typedErrorSchema } from '../http/wire/errors.ts'
import { sessionArtifactsSchema, sessionCardSchema, sessionMessagesSchema } from '../http/wire/session.ts'
import type { TypedErrorBody } from '../http/wire.ts'
import type {
  AcceptedRun,
  AgentEvent,
  AgentEventType,
  ApprovalEntry,
  HistoryEntry,
  InvokeFailure,
  InvokeResult,
  RunStatus,
  SessionRemoval,
  TimelinePage,
} from './wire.ts'

const eventTypes = Object.keys({
  prompt_start: true,
  text_delta: true,
  thinking_delta: true,
  text_superseded: true,
  tool_start: true,
  tool_end: true,
  task_start: true,
  task_end: true,
  approval_requested: true,
  approval_resolved: true,
  compaction: true,
  checkpoint_created: true,
  artifact_published: true,
  custom: true,
  directive: true,
  execution_feedback: true,
  operator_action: true,
  result: true,
  cancelled: true,
  waiting: true,
  notice: true,
  idle: true,
  error: true,
  reset: true,
} satisfies { readonly [T in AgentEventType]: true }) as AgentEventType[]

/** The types in `wire.ts` describe `data`. Twenty schemas would repeat them, and no code path would check them. */
export const agentEventSchema = v.pipe(
  v.object({ id: text, type: v.picklist(eventTypes), timestamp: time, sessionId: text, data: anyObject }),
  v.title('AgentEvent'),
) as unknown as v.GenericSchema<AgentEvent>

const promptEvent: AgentEvent = {
  id: 'ev-2',
  type: 'prompt_start',
  timestamp: '2026-11-16T09:00:00.000Z',
  sessionId: 'chat-1',
  data: { text: 'What is in this folder?', runId: 'r-2' },
}

export const agentEventStreamAnswer = streamAnswer('An event stream.', agentEventSchema, { id: '2', data: promptEvent })

const where = { sessionId: 'chat-1', agentPath: '/agents/scripted/chat-1' }

export const invokeResultAnswer = jsonAnswer(
  '`{ result, sessionId, agentPath }`. With `Prefer: heartbeat` white space comes first, and a failed run is an error body with its `status`.',
  answerSchema<InvokeResult>('InvokeResult', { result: anyJson, sessionId: text, agentPath: text }),
  { result: 'Two files.', ...where },
)

export const acceptedRunAnswer = jsonAnswer(
  'With `Prefer: respond-async`, or `wait=<seconds>` when they are over: accepted; Location tells where to look.',
  answerSchema<AcceptedRun>('AcceptedRun', {
    status: v.literal('accepted'),
    sessionId: text,
    agentPath: text,
    runId: text,
  }),
  { status: 'accepted', ...where, runId: 'r-2' },
)

const invokeFailureSchema = answerSchema<InvokeFailure>('InvokeFailure', {
  error: v.object({ type: text, message: text, reason: nullableText }),
  sessionId: text,
  agentPath: text,
})
export const invokeFailureAnswer = jsonAnswer<InvokeFailure | TypedErrorBody>(
  'The run failed, or the server did.',
  v.pipe(v.union([invokeFailureSchema, typedErrorSchema]), v.title('InvokeError')),
  { error: { type: 'internal_error', message: 'The tool crashed.', reason: null }, ...where },
)

export const runStatusAnswer = jsonAnswer(
  '`{ status, result?, error? }`',
  answerSchema<RunStatus>('RunStatus', {
    runId: text,
    status: text,
    result: v.optional(anyJson),
    error: v.optional(v.object({ message: text, reason: nullableText })),
  }),
  { runId: 'r-2', status: 'completed', result: 'Two files.' },
)

export const removalAnswer = jsonAnswer(
  'It is gone.',
  answerSchema<SessionRemoval>('SessionRemoval', { deleted: v.literal(true), sessionId: text }),
  { deleted: true, sessionId: 'chat-1' },
)

const { approvals: _open, ...cardEntries } = sessionCardSchema.entries

const historyEntry = v.pipe(
  v.objectWithRest(
    { id: text, type: v.picklist(['prompt', 'turn', 'tool_call', 'checkpoint']), timestamp: time },
    anyJson,
  ),
  v.title('HistoryEntry'),
) as unknown as v.GenericSchema<HistoryEntry>

const approvalEntry = v.pipe(
  v.objectWithRest({ id: text, status: text }, anyJson),
  v.title('ApprovalEntry'),
) as unknown as v.GenericSchema<ApprovalEntry>

const { approvals: _none, ...cardExample } = sessionCardExample

export const timelineAnswer = jsonAnswer(
  'The timeline; `next` when there is more.',
  answerSchema<TimelinePage>('TimelinePage', {
    ...cardEntries,
    ...sessionMessagesSchema.entries,
    ...sessionArtifactsSchema.entries,
    entries: v.array(historyEntry),
    events: v.array(agentEventSchema),
    approvals: v.array(approvalEntry),
    next: v.optional(v.union([count, text])),
    reset: v.optional(flag),
  }),
  {
    ...cardExample,
    messages: messageExamples,
    artifacts: [artifactExample],
    entries: [
      { id: 'ev-2', type: 'prompt', timestamp: promptEvent.timestamp, runId: 'r-2', text: 'What is in this folder?' },
    ],
    events: [promptEvent],
    approvals: [],
  },
)
