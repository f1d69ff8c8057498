import { approvalPageSchema, approvalReceiptSchema } from '@bridle/wire/http/wire/approvals'
import { artifactPageSchema } from '@bridle/wire/http/wire/artifacts'
import { auditPageSchema } from '@bridle/wire/http/wire/audit'
import { channelPageSchema } from '@bridle/wire/http/wire/channel'
import { plainErrorSchema, typedErrorSchema } from '@bridle/wire/http/wire/errors'
import {
  cancelReceiptSchema,
  sessionCardSchema,
  sessionDetailSchema,
  signalReceiptSchema,
} from '@bridle/wire/http/wire/session'
import { sessionPageSchema } from '@bridle/wire/http/wire/session-list'
import * as v from 'valibot'
import { type AnswerDescription, jsonAnswer } from './answer-schema.ts'
import {
  artifactExample,
  channelExample,
  sessionCardExample,
  sessionDetailExample,
  sessionPageExample,
} from './session-examples.ts'

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
  { ...sessionCardExample, runId: 'r-2', cancelled: true },
)

export const archiveAnswer = jsonAnswer('The session, with `archived`.', sessionCardSchema, {
  ...sessionCardExample,
  archived: true,
})

export const renameAnswer = jsonAnswer('The session, with its title.', sessionCardSchema, {
  ...sessionCardExample,
  title: 'Plans for the garden',
})

export const signalAnswer = jsonAnswer('The run has the signal: `runId`, and the session.', signalReceiptSchema, {
  ...sessionCardExample,
  runId: 'r-2',
})

export const approvalPageAnswer = jsonAnswer(
  '`{ approvals, next? }`, each with its arguments and the title of its session.',
  approvalPageSchema,
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

export const badAnswerError = jsonAnswer(
  'The answer does not fit the question (`invalid_answer`), or the request is wrong (a plain error).',
  v.union([typedErrorSchema, plainErrorSchema]),
  { error: { type: 'invalid_answer', message: '"Oracle" is not an option of question "db".' } },
)

export const approvalReceiptAnswer = jsonAnswer(
  'It is settled. The same answer again is the same reply; another is a conflict.',
  approvalReceiptSchema,
  { ok: true, approvalId: 'ap-6', decision: 'approved', seq: 8 },
)

export const artifactPageAnswer = jsonAnswer(
  '`{ artifacts, next? }`; pass `next` as `before` for the next page.',
  artifactPageSchema,
  { artifacts: [artifactExample] },
)

export const auditPageAnswer = jsonAnswer(
  '`{ audit, next? }`; pass `next` as `before` for the next page.',
  auditPageSchema,
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
  { envelopes: channelExample.envelopes, next: 'ev-5' },
)

const content = { contentType: '*/*', schema: v.string(), example: '# Report\n' }
export const artifactContentAnswer: AnswerDescription = { description: 'The content.', body: content }
export const artifactPartAnswer: AnswerDescription = { description: 'A part of it.', body: content }
