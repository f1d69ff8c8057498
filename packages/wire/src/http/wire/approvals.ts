import { APPROVAL_KINDS } from '@bridle/events/approval-kinds'
import { TOOL_EFFECTS } from '@bridle/events/schemas'
import type { HarnessApprovalChild } from '@bridle/kernel/projections/harness-state'
import * as v from 'valibot'
import { nameClaim } from './audit.ts'
import * as f from './fields.ts'
import { answerEntries, questionEntries } from './questions.ts'

const effect = f.oneOf(TOOL_EFFECTS, 'The declared effect of the call; null = its tool declares none.')
/** Whether a call that a crash interrupted may be repeated. */
export type ApprovalEffect = f.AnswerOf<typeof effect>

const risk = f.oneOf(
  ['low', 'caution', 'danger'],
  'The risk that the policy or the declared effect states; null = none.',
)
/** Risk of a call that needs approval. */
export type ApprovalRiskLevel = f.AnswerOf<typeof risk>

const stakeEntries = {
  expiresAt: f.nullableTime('The time at which the approval expires, in ISO 8601; null = never.'),
  effect: f.nullable(effect),
  risk: f.nullable(risk),
}

const approvalChildSchema = f.kernelSchema<HarnessApprovalChild>(
  'ApprovalChild',
  'The session of another agent that asks.',
  {
    id: f.text('The id of the session that asks.'),
    agent: f.text('The name of its agent.'),
    approvalId: f.text('The id of the approval in that session.'),
    isCut: f.optional(f.always(true, 'Texts or arguments are shorter here than in that session.')),
  },
)

/** Fields of an approval requested by a child session. */
export const approvalChildEntries = {
  child: f.optional(
    f.reference(approvalChildSchema, 'The session below this one that asks; absent = this session asks.'),
  ),
}

export const sessionApprovalSchema = f.answer('SessionApproval', 'An approval of a session that waits for an answer.', {
  id: f.text("The approval's id."),
  kind: f.oneOf(APPROVAL_KINDS, 'The kind of the approval.'),
  toolName: f.text('The name of the tool, or the subject of the question.'),
  toolCallId: f.text('The tool call that waits; empty = none.'),
  reason: f.text('The reason that the person reads.'),
  args: f.anyObject('The arguments, which the person may change.'),
  ...stakeEntries,
  ...questionEntries,
  ...approvalChildEntries,
})
export type SessionApproval = f.AnswerOf<typeof sessionApprovalSchema>

const approvalEntries = {
  id: f.text("The approval's id."),
  approvalId: f.text('The same as `id`.'),
  sessionId: f.text('The id of the session.'),
  agent: f.text("The name of the session's agent."),
  parentSessionId: f.optional(
    f.text('The id of the session that started this one, which names the approval too; absent = none.'),
  ),
  title: f.nullableText('The title of the session.'),
  kind: f.nullable(f.oneOf(APPROVAL_KINDS, 'The kind of the approval; null = unknown.')),
  toolName: f.text('The name of the tool, or the subject of the question.'),
  toolCallId: f.nullableText('The tool call that waits; null = none.'),
  args: f.nullable(f.anyObject('The arguments; null = too large for a list, and the session has them.')),
  reason: f.text('The reason that the person reads.'),
  isCut: f.flag("The title, the tool's name, the reason or the arguments are cut. The session has them in full."),
  requestedAt: f.time('The time of the request, in ISO 8601.'),
  ...stakeEntries,
  ...questionEntries,
}

export const pendingApprovalSchema = f.answer('PendingApproval', 'An open approval in the inbox over all sessions.', {
  ...approvalEntries,
  status: f.always('pending', 'The status: the inbox has only approvals that wait.'),
})
export type PendingApproval = f.AnswerOf<typeof pendingApprovalSchema>

export const OUTCOMES = ['approved', 'denied', 'expired', 'cancelled'] as const

const decisionEntries = {
  decidedBy: f.nullableText('The person who decided; null = no person, or no name.'),
  decidedByClaimed: nameClaim,
  decidedAt: f.time('The time of the decision, in ISO 8601.'),
}

const settledApprovalSchema = f.answer('SettledApproval', 'A settled approval in the history of the inbox.', {
  ...approvalEntries,
  status: f.oneOf(OUTCOMES, 'The decision; `cancelled` = its run ended, or another question replaced it.'),
  ...decisionEntries,
  decisionReason: f.nullableText('The reason that the person gave; null = none.'),
  ...answerEntries,
  isEdited: f.flag('The call was approved with arguments that a person changed; `args` has the approved ones.'),
  imported: f.optional(f.always(true, 'From an imported file; absent = decided on this server.')),
})
export type SettledApproval = f.AnswerOf<typeof settledApprovalSchema>

/** Approvals by the inbox's `status` filter. */
export interface ApprovalsByStatus {
  /** Pending approvals, oldest first. */
  readonly pending: PendingApproval
  /** Settled approvals, newest decision first. */
  readonly decided: SettledApproval
  /** Pending approvals, then settled ones. */
  readonly all: PendingApproval | SettledApproval
}

export const approvalPageSchema = f.answer('ApprovalPage', 'A page of the inbox.', {
  approvals: f.list(v.union([pendingApprovalSchema, settledApprovalSchema]), 'The approvals of this page.'),
  next: f.optional(f.text('Pass it as `cursor` for the next page.')),
})
/** A page of the inbox. */
export interface ApprovalPage<A = PendingApproval> {
  /** Approvals on this page. */
  readonly approvals: readonly A[]
  /** Pass as `cursor` to fetch the next page. */
  readonly next?: string
}

export const settledDetailsSchema = f.answer(
  'SettledApprovalDetails',
  'Fields beside the error (409) of a settled approval.',
  { decision: f.oneOf(OUTCOMES, 'The decision that was made first.'), ...decisionEntries },
)
export type SettledApprovalDetails = f.AnswerOf<typeof settledDetailsSchema>

export const approvalReceiptSchema = f.answer('ApprovalReceipt', 'The answer to `approve` and `reject`.', {
  ok: f.always(true, 'Always true: a refused decision is an error.'),
  approvalId: f.text("The approval's id."),
  decision: f.oneOf(['approved', 'denied'], 'The decision.'),
  seq: f.count("The number of the session's newest event after the decision."),
})
export type ApprovalReceipt = f.AnswerOf<typeof approvalReceiptSchema>
