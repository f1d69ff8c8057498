import { APPROVAL_DECISIONS, SESSION_STATUSES } from '@bridle/events/schemas'
import * as v from 'valibot'
import * as f from '../../http/wire/fields.ts'
import {
  type SessionArtifacts,
  type SessionCard,
  type SessionMessages,
  sessionArtifactsSchema,
  sessionCardSchema,
  sessionMessagesSchema,
} from '../../http/wire/session.ts'
import { agentEventSchema } from './events.ts'

const place = {
  sessionId: f.text('The id of the session.'),
  agentPath: f.text('The path of the session, as the caller reaches it: behind `basePath` and the prefix of a proxy.'),
}

export const invokeResultSchema = f.answer('InvokeResult', 'The answer to an invoke: the result of the run.', {
  result: f.anyJson('The result of the run.'),
  ...place,
})
export type InvokeResult = f.AnswerOf<typeof invokeResultSchema>

export const invokeFailureSchema = f.answer('InvokeFailure', 'The body of a 500: the run failed.', {
  error: f.object(
    {
      type: f.text('The reason, for programs.'),
      message: f.text('The reason, for people.'),
      reason: f.nullableText('The reason that the runner gave; null = none.'),
    },
    'The failure.',
  ),
  ...place,
})
export type InvokeFailure = f.AnswerOf<typeof invokeFailureSchema>

export const acceptedRunSchema = f.answer(
  'AcceptedRun',
  'A run that was accepted; `/sessions/:id/runs/:runId` answers its status.',
  { status: f.always('accepted', 'The status of the answer.'), ...place, runId: f.text('The id of the run.') },
)
export type AcceptedRun = f.AnswerOf<typeof acceptedRunSchema>

export const runStatusSchema = f.answer(
  'RunStatus',
  'The status of a run, with its result or error once it has ended.',
  {
    runId: f.text('The id of the run.'),
    status: f.oneOf([...SESSION_STATUSES, 'moved', 'removed'], 'completed, failed and cancelled are final.'),
    result: f.optional(f.anyJson('The result of a run that completed.')),
    error: f.optional(
      f.object({ message: v.string(), reason: v.nullable(v.string()) }, 'The reason of a run that failed.'),
    ),
  },
)
export type RunStatus = f.AnswerOf<typeof runStatusSchema>

export const sessionRemovalSchema = f.answer('SessionRemoval', 'A session was removed.', {
  deleted: f.always(true, 'Always true.'),
  sessionId: f.text('The id of the session.'),
})
export type SessionRemoval = f.AnswerOf<typeof sessionRemovalSchema>

const historyEntrySchema = f.openAnswer('HistoryEntry', 'A prompt, a turn, a tool call or a checkpoint.', {
  id: f.text('The event that begins it.'),
  type: f.oneOf(['prompt', 'turn', 'tool_call', 'checkpoint'], 'The kind of the entry.'),
  timestamp: f.time('The time of its event.'),
})
export type HistoryEntry = f.AnswerOf<typeof historyEntrySchema>

const approvalEntrySchema = f.openAnswer('ApprovalEntry', 'An approval, open or decided.', {
  id: f.text('The id of the approval.'),
  status: f.oneOf(['pending', ...APPROVAL_DECISIONS], 'The decision, or `pending`.'),
})
export type ApprovalEntry = f.AnswerOf<typeof approvalEntrySchema>

const timelineSchema = f.answer('Timeline', 'The history of a session.', {
  entries: f.list(historyEntrySchema, 'Prompts, turns, tool calls and checkpoints, oldest first.'),
  events: f.list(agentEventSchema, 'The events, oldest first.'),
  approvals: f.list(approvalEntrySchema, 'The approvals, oldest first.'),
  next: f.optional(f.described(v.union([f.wholeNumber, v.string()]), 'There is more: pass it as `after`.')),
  reset: f.optional(f.flag('The cursor was of another incarnation of the log, so the page begins again.')),
})
export type Timeline = f.AnswerOf<typeof timelineSchema>

export interface TimelinePage extends Omit<SessionCard, 'approvals'>, SessionMessages, SessionArtifacts, Timeline {}

export const timelinePageSchema: v.GenericSchema<TimelinePage> = f.extendedAnswer(
  'TimelinePage',
  'A page of a session’s history, with the session itself.',
  [sessionCardSchema, sessionMessagesSchema, sessionArtifactsSchema],
  timelineSchema.entries,
)
