// The answer of `GET /changes`, for OpenAPI and for the tests that compare every answer with its declaration.
import * as v from 'valibot'
import { answerSchema, nullableText, nullableTime, streamAnswer, text } from '../http/answers/answer-schema.ts'
import { pendingApprovalSchema } from '../http/wire/approvals.ts'
import { sessionRowSchema } from '../http/wire/session-list.ts'
import type { ApprovalChange, ApprovalClosure, ReadyChange, RemovalChange, SessionChange } from './wire.ts'

const changeSchema = v.pipe(
  v.union([
    answerSchema<ReadyChange>('ReadyChange', { type: v.literal('ready') }),
    answerSchema<SessionChange>('SessionChange', { type: v.literal('session'), session: sessionRowSchema }),
    answerSchema<RemovalChange>('RemovalChange', { type: v.literal('session_removed'), session_id: text, agent: text }),
    answerSchema<ApprovalChange>('ApprovalChange', { type: v.literal('approval'), approval: pendingApprovalSchema }),
    answerSchema<ApprovalClosure>('ApprovalClosure', {
      type: v.literal('approval_closed'),
      id: text,
      session_id: text,
      agent: text,
      status: v.picklist(['approved', 'denied', 'expired', 'cancelled']),
      decidedBy: nullableText,
      decidedByClaimed: v.optional(v.literal(true)),
      decidedAt: nullableTime,
    }),
  ]),
  v.title('TenantChange'),
)

export const changesStreamAnswer = streamAnswer(
  'An event stream that begins with `ready`. It has no ids: load the lists again after each `ready`.',
  changeSchema,
  { data: { type: 'ready' } },
)
