// The declared answers of the routes about the memory of a session.
import * as v from 'valibot'
import type { AcceptedValue, MemoryPage, MemoryReceipt, ProposalSummary } from '../wire.ts'
import {
  answerSchema,
  anyJson,
  count,
  jsonAnswer,
  list,
  nullableText,
  nullableTime,
  text,
  time,
} from './answer-schema.ts'

const acceptedValueSchema = answerSchema<AcceptedValue>('AcceptedValue', {
  key: text,
  value: anyJson,
  expiresAt: nullableTime,
  proposalId: text,
  runId: nullableText,
  acceptedAt: time,
  acceptedBy: nullableText,
})

export const proposalSchema = answerSchema<ProposalSummary>('ProposalSummary', {
  id: text,
  key: text,
  status: v.picklist(['pending', 'accepted', 'rejected']),
  contentType: text,
  size: count,
  reason: nullableText,
  runId: nullableText,
  proposedAt: time,
  decidedAt: nullableTime,
  decidedBy: nullableText,
  decisionReason: nullableText,
})

const PROPOSED = '2026-11-16T09:00:04.000Z'
const DECIDED = '2026-11-16T09:01:30.000Z'

export const memoryPageAnswer = jsonAnswer(
  '`{ memory, proposals }`: accepted values with their source, and the newest proposals; what one says is its artifact.',
  answerSchema<MemoryPage>('MemoryPage', { memory: list(acceptedValueSchema), proposals: list(proposalSchema) }),
  {
    memory: [
      {
        key: 'language',
        value: 'German',
        expiresAt: null,
        proposalId: 'art-7',
        runId: 'r-2',
        acceptedAt: DECIDED,
        acceptedBy: 'anna',
      },
    ],
    proposals: [
      {
        id: 'art-7',
        key: 'language',
        status: 'accepted',
        contentType: 'application/json',
        size: 8,
        reason: 'They write German.',
        runId: 'r-2',
        proposedAt: PROPOSED,
        decidedAt: DECIDED,
        decidedBy: 'anna',
        decisionReason: null,
      },
    ],
  },
)

export const memoryReceiptAnswer = jsonAnswer(
  'It is decided. The same decision again is the same reply; another is a conflict.',
  answerSchema<MemoryReceipt>('MemoryReceipt', {
    ok: v.literal(true),
    proposalId: text,
    decision: v.picklist(['accepted', 'rejected']),
    key: text,
    seq: count,
  }),
  { ok: true, proposalId: 'art-7', decision: 'accepted', key: 'language', seq: 12 },
)
