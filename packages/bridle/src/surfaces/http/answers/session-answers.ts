// The declared answers of the routes about sessions: lists, approvals, artifacts, audit.
import * as v from 'valibot'
import type {
  ApprovalPage,
  ApprovalReceipt,
  ApprovalsByStatus,
  ArtifactPage,
  AuditPage,
  PendingApproval,
  SettledApproval,
} from '../wire.ts'
import {
  type AnswerDescription,
  type AnswerEntries,
  answerSchema,
  anyObject,
  count,
  flag,
  jsonAnswer,
  list,
  nullableText,
  nullableTime,
  text,
  time,
} from './answer-schema.ts'
import { channelPageSchema } from './channel-schemas.ts'
import { auditEntrySchema } from './health-schemas.ts'
import {
  artifactExample,
  cancelReceiptExample,
  sessionCardExample,
  sessionDetailExample,
  sessionPageExample,
  signalReceiptExample,
} from './session-examples.ts'
import {
  approvalEffect,
  approvalRisk,
  artifactSchema,
  cancelReceiptSchema,
  sessionCardSchema,
  sessionDetailSchema,
  sessionPageSchema,
  signalReceiptSchema,
} from './session-schemas.ts'

export const sessionPageAnswer = jsonAnswer(
  '`{ sessions, next? }`; pass `next` as `cursor` for the next page.',
  sessionPageSchema,
  sessionPageExample,
)

export const sessionDetailAnswer = jsonAnswer(
  'Status, messages, open approvals, health, checkpoints, artifacts, channel.',
  sessionDetailSchema,
  sessionDetailExample,
)

export const cancelAnswer = jsonAnswer(
  '`{ runId, cancelled }` and the session; a run that is over already is `cancelled: false`.',
  cancelReceiptSchema,
  cancelReceiptExample,
)

export const archiveAnswer = jsonAnswer('The session, with `archived`.', sessionCardSchema, {
  ...sessionCardExample,
  archived: true,
})

export const renameAnswer = jsonAnswer('The session, with its title.', sessionCardSchema, {
  ...sessionCardExample,
  title: 'Plans for the garden',
})

export const signalAnswer = jsonAnswer(
  'The run has the signal: `runId`, and the session.',
  signalReceiptSchema,
  signalReceiptExample,
)

const approvalEntries: AnswerEntries<Omit<PendingApproval, 'status'>> = {
  id: text,
  approvalId: text,
  sessionId: text,
  agent: text,
  title: nullableText,
  kind: nullableText,
  toolName: text,
  toolCallId: nullableText,
  args: v.nullable(anyObject),
  reason: text,
  isCut: flag,
  requestedAt: time,
  expiresAt: nullableTime,
  effect: approvalEffect,
  risk: approvalRisk,
}

export const pendingApprovalSchema = answerSchema<PendingApproval>('PendingApproval', {
  ...approvalEntries,
  status: v.literal('pending'),
})

const settledApprovalSchema = answerSchema<SettledApproval>('SettledApproval', {
  ...approvalEntries,
  status: v.picklist(['approved', 'denied', 'expired', 'cancelled']),
  decidedAt: time,
  decidedBy: nullableText,
  decidedByClaimed: v.optional(v.literal(true)),
  decisionReason: nullableText,
  isEdited: flag,
  imported: v.optional(v.literal(true)),
})

export const approvalPageAnswer = jsonAnswer(
  '`{ approvals, next? }`, each with its arguments and the title of its session.',
  answerSchema<ApprovalPage<ApprovalsByStatus['all']>>('ApprovalPage', {
    approvals: list(v.union([pendingApprovalSchema, settledApprovalSchema])),
    next: v.optional(text),
  }),
  {
    approvals: [
      {
        id: 'ap-6',
        approvalId: 'ap-6',
        sessionId: 'chat-1',
        agent: 'scripted',
        title: 'Clean up the folder',
        status: 'pending',
        kind: 'tool',
        toolName: 'delete_file',
        toolCallId: 'call-1',
        args: { path: 'old.txt' },
        reason: 'It deletes a file.',
        isCut: false,
        requestedAt: '2026-11-16T09:00:04.000Z',
        expiresAt: null,
        effect: 'unsafe',
        risk: 'danger',
      },
    ],
  },
)

export const approvalReceiptAnswer = jsonAnswer(
  'It is settled. The same answer again is the same reply; another is a conflict.',
  answerSchema<ApprovalReceipt>('ApprovalReceipt', {
    ok: v.literal(true),
    approvalId: text,
    decision: v.picklist(['approved', 'denied']),
    seq: count,
  }),
  { ok: true, approvalId: 'ap-6', decision: 'approved', seq: 8 },
)

export const artifactPageAnswer = jsonAnswer(
  '`{ artifacts, next? }`; pass `next` as `before` for the next page.',
  answerSchema<ArtifactPage>('ArtifactPage', {
    artifacts: list(artifactSchema),
    next: v.optional(v.union([count, text])),
  }),
  { artifacts: [artifactExample] },
)

export const auditPageAnswer = jsonAnswer(
  '`{ audit, next? }`; pass `next` as `before` for the next page.',
  answerSchema<AuditPage>('AuditPage', { audit: list(auditEntrySchema), next: v.optional(text) }),
  {
    audit: [
      {
        event_id: 'ev-8',
        timestamp: '2026-11-16T09:00:09.000Z',
        action: 'approval_approved',
        actor: 'anna',
        summary: 'ap-6',
      },
    ],
  },
)

export const channelPageAnswer = jsonAnswer(
  '`{ envelopes, next? }`, oldest first; pass `next` as `before` for the page before.',
  channelPageSchema,
  { envelopes: sessionDetailExample.channel?.envelopes ?? [], next: 'ev-5' },
)

const content = { contentType: '*/*', schema: text, example: '# Report\n' }
export const artifactContentAnswer: AnswerDescription = { description: 'The content.', body: content }
export const artifactPartAnswer: AnswerDescription = { description: 'A part of it.', body: content }
