import * as v from 'valibot'
import { pendingApprovalSchema } from '../../http/wire/approvals.ts'
import * as f from '../../http/wire/fields.ts'
import { sessionRowSchema } from '../../http/wire/session-list.ts'

const readySchema = f.answer(
  'ReadyChange',
  'Every later change will be sent. The first message, and again after changes were left out: load the lists again.',
  { type: f.always('ready', 'The type.') },
)
export type ReadyChange = f.AnswerOf<typeof readySchema>

const sessionSchema = f.answer('SessionChange', 'A session is new, or its row in lists has changed.', {
  type: f.always('session', 'The type.'),
  session: f.reference(sessionRowSchema, 'The row as it is now.'),
})
export type SessionChange = f.AnswerOf<typeof sessionSchema>

const removalSchema = f.answer('RemovalChange', 'A session was removed, and its approvals with it.', {
  type: f.always('session_removed', 'The type.'),
  session_id: f.text("The session's id."),
  agent: f.text('The name of its agent.'),
})
export type RemovalChange = f.AnswerOf<typeof removalSchema>

const approvalSchema = f.answer('ApprovalChange', 'An approval waits for an answer.', {
  type: f.always('approval', 'The type.'),
  approval: f.reference(pendingApprovalSchema, 'The approval, as in the inbox.'),
})
export type ApprovalChange = f.AnswerOf<typeof approvalSchema>

const closureSchema = f.answer('ApprovalClosure', 'An approval waits no longer.', {
  type: f.always('approval_closed', 'The type.'),
  id: f.text("The approval's id."),
  session_id: f.text('The id of its session.'),
  agent: f.text("The name of the session's agent."),
  status: f.oneOf(
    ['approved', 'denied', 'expired', 'cancelled'],
    'The decision; `cancelled` = its run ended, or another question replaced it.',
  ),
  decidedBy: f.nullableText('The person who decided; null = nobody, or not named.'),
  decidedByClaimed: f.optional(
    f.always(
      true,
      'The caller supplied the name, since its credential has no user. Absent = the credential has this user, or there is no name.',
    ),
  ),
  decidedAt: f.nullableTime('The time of the decision, in ISO 8601; null = not known.'),
})
export type ApprovalClosure = f.AnswerOf<typeof closureSchema>

/** A change to a tenant's sessions or approvals, limited to the sessions that the caller may open. */
export type TenantChange = ReadyChange | SessionChange | RemovalChange | ApprovalChange | ApprovalClosure

export const tenantChangeSchema: v.GenericSchema<TenantChange> = v.pipe(
  v.union([readySchema, sessionSchema, removalSchema, approvalSchema, closureSchema]),
  v.title('TenantChange'),
)
