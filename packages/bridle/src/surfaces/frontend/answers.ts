// The declared answers of the frontend contract's own routes.
import * as v from 'valibot'
import { catalogue, STREAM_EVENT_TYPES } from '../../kernel/catalogue.ts'
import {
  answerSchema,
  anyObject,
  count,
  flag,
  jsonAnswer,
  list,
  nullableText,
  streamAnswer,
  text,
  time,
} from '../http/answers/answer-schema.ts'
import {
  artifactExample,
  healthExample,
  sessionCardExample,
  sessionDetailExample,
} from '../http/answers/session-examples.ts'
import { artifactSchema } from '../http/wire/artifacts.ts'
import { healthSnapshotSchema } from '../http/wire/health.ts'
import { sessionCardSchema, sessionDetailSchema } from '../http/wire/session.ts'
import type {
  BackgroundArtifact,
  BackgroundReceipt,
  BranchReceipt,
  ChatSession,
  HealthEnvelope,
  PauseReceipt,
  ReplayReceipt,
  StreamEnvelope,
  StreamEventList,
  StreamEventRow,
  TurnReceipt,
} from './wire.ts'

const eventType = v.picklist(STREAM_EVENT_TYPES)
const { tier, persisted, source, role } = catalogue.response

export const streamEventListAnswer = jsonAnswer(
  '`{ types, events }`',
  answerSchema<StreamEventList>('StreamEventList', {
    types: list(eventType),
    events: list(
      answerSchema<StreamEventRow>('StreamEventRow', {
        type: eventType,
        tier: v.picklist(['default', 'debug']),
        persisted: flag,
        source: text,
        role: text,
      }),
    ),
  }),
  { types: ['response'], events: [{ type: 'response', tier, persisted, source, role }] },
)

const TIME = '2026-11-16T09:00:04.000Z'

/** `type` is open: a custom event has the name that its agent chose. The types in `wire.ts` describe `payload`. */
const envelopeSchema = v.pipe(
  v.object({
    type: text,
    payload: anyObject,
    seq: count,
    session_id: text,
    timestamp: time,
    turn_id: v.optional(text),
    attempt: v.optional(count),
    hearsay: v.optional(v.literal(true)),
    custom: v.optional(v.literal(true)),
  }),
  v.title('StreamEnvelope'),
) as unknown as v.GenericSchema<StreamEnvelope>

const envelopeExample: StreamEnvelope = {
  type: 'response',
  payload: { text: 'Two files.' },
  seq: 5,
  session_id: 'chat-1',
  timestamp: TIME,
  turn_id: 'r-2',
  attempt: 1,
}

export const envelopeStreamAnswer = streamAnswer('An event stream.', envelopeSchema, { id: '5', data: envelopeExample })
export const turnStreamAnswer = streamAnswer(
  'With `Accept: text/event-stream`: the turn, to its end.',
  envelopeSchema,
  {
    id: '5',
    data: envelopeExample,
  },
)

export const healthStreamAnswer = streamAnswer(
  'An event stream.',
  answerSchema<HealthEnvelope>('HealthEnvelope', {
    type: v.literal('health_snapshot'),
    payload: healthSnapshotSchema,
    seq: count,
    session_id: text,
    timestamp: time,
  }),
  {
    id: '9',
    data: { type: 'health_snapshot', payload: healthExample, seq: 9, session_id: 'chat-1', timestamp: TIME },
  },
)

export const healthAnswer = jsonAnswer('A health snapshot.', healthSnapshotSchema, healthExample)

const cardAnswer = (description: string) => jsonAnswer(description, sessionCardSchema, sessionCardExample)
export const chatCreatedAnswer = cardAnswer('The session, with its health.')
export const policyAnswer = cardAnswer('The session, with its health.')

const pauseReceiptSchema = answerSchema<PauseReceipt>('PauseReceipt', { ...sessionCardSchema.entries, paused: flag })
export const pauseAnswer = jsonAnswer('The session, with its health.', pauseReceiptSchema, {
  ...sessionCardExample,
  status: 'paused',
  paused: true,
})
export const resumeAnswer = jsonAnswer('The session goes on.', pauseReceiptSchema, {
  ...sessionCardExample,
  paused: false,
})

const branchReceiptSchema = answerSchema<BranchReceipt>('BranchReceipt', {
  ...sessionCardSchema.entries,
  parent: v.object({ agent: text, id: text, seq: count }),
  messageId: v.optional(text),
  delivery: v.optional(text),
})
export const branchAnswer = (description: string) =>
  jsonAnswer(description, branchReceiptSchema, {
    ...sessionCardExample,
    parent: { agent: 'scripted', id: 'chat-0', seq: 8 },
  })

export const replayAnswer = jsonAnswer(
  'The new session, in which `prompts` prompts wait for their turns.',
  answerSchema<ReplayReceipt>('ReplayReceipt', {
    ...sessionCardSchema.entries,
    parent: v.object({ agent: text, id: text, seq: count }),
    prompts: count,
  }),
  { ...sessionCardExample, parent: { agent: 'scripted', id: 'chat-0', seq: 1 }, prompts: 3 },
)

export const turnAnswer = jsonAnswer(
  'It is taken; it may wait its turn.',
  answerSchema<TurnReceipt>('TurnReceipt', {
    ...sessionCardSchema.entries,
    turn_id: text,
    run_id: text,
    message_id: nullableText,
    delivery: nullableText,
    after: text,
  }),
  {
    ...sessionCardExample,
    status: 'running',
    runId: 'r-2',
    turn_id: 'r-2',
    run_id: 'r-2',
    message_id: 'm-2',
    delivery: 'started',
    after: 'ev-1',
  },
)

export const backgroundAnswer = jsonAnswer(
  'It is in the log, and runs by itself from here on; the session, with its health.',
  answerSchema<BackgroundReceipt>('BackgroundReceipt', {
    ...sessionCardSchema.entries,
    run_id: nullableText,
    messageId: text,
    delivery: text,
  }),
  {
    ...sessionCardExample,
    kind: 'background',
    status: 'running',
    runId: 'r-2',
    run_id: 'r-2',
    messageId: 'm-2',
    delivery: 'started',
  },
)

export const chatSessionAnswer = jsonAnswer(
  'The session.',
  answerSchema<ChatSession>('ChatSession', {
    ...sessionDetailSchema.entries,
    background_artifacts: list(
      answerSchema<BackgroundArtifact>('BackgroundArtifact', { ...artifactSchema.entries, session_id: text }),
    ),
  }),
  {
    ...sessionDetailExample,
    background_artifacts: [{ ...artifactExample, session_id: 'bg-1' }],
  },
)
