import { memoryPageSchema, memoryReceiptSchema } from '@bridle/wire/http/wire/memory'
import { jsonAnswer } from './answer-schema.ts'

const PROPOSED = '2026-11-16T09:00:04.000Z'
const DECIDED = '2026-11-16T09:01:30.000Z'

export const memoryPageAnswer = jsonAnswer(
  '`{ memory, proposals }`: accepted values with their source, and the newest proposals; what one says is its artifact.',
  memoryPageSchema,
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
  memoryReceiptSchema,
  { ok: true, proposalId: 'art-7', decision: 'accepted', key: 'language', seq: 12 },
)
