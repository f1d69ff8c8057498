import { catalogue } from '@bridle/events/catalogue'
import type { StreamEnvelope } from '@bridle/wire/frontend/wire'
import {
  backgroundReceiptSchema,
  branchReceiptSchema,
  chatSessionSchema,
  pauseReceiptSchema,
  replayReceiptSchema,
  turnReceiptSchema,
} from '@bridle/wire/frontend/wire/sessions'
import { envelopeSchema, healthEnvelopeSchema, streamEventListSchema } from '@bridle/wire/frontend/wire/streams'
import { healthSnapshotSchema } from '@bridle/wire/http/wire/health'
import { sessionCardSchema } from '@bridle/wire/http/wire/session'
import { jsonAnswer, streamAnswer } from '../http/answers/answer-schema.ts'
import {
  artifactExample,
  healthExample,
  sessionCardExample,
  sessionDetailExample,
} from '../http/answers/session-examples.ts'

const { tier, persisted, source, role } = catalogue.response

export const streamEventListAnswer = jsonAnswer('`{ types, events }`', streamEventListSchema, {
  types: ['response'],
  events: [{ type: 'response', tier, persisted, source, role }],
})

const TIME = '2026-11-16T09:00:04.000Z'

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

export const healthStreamAnswer = streamAnswer('An event stream.', healthEnvelopeSchema, {
  id: '9',
  data: { type: 'health_snapshot', payload: healthExample, seq: 9, session_id: 'chat-1', timestamp: TIME },
})

export const healthAnswer = jsonAnswer('A health snapshot.', healthSnapshotSchema, healthExample)

const cardAnswer = (description: string) => jsonAnswer(description, sessionCardSchema, sessionCardExample)
export const chatCreatedAnswer = cardAnswer('The session, with its health.')
export const policyAnswer = cardAnswer('The session, with its health.')

export const pauseAnswer = jsonAnswer('The session, with its health.', pauseReceiptSchema, {
  ...sessionCardExample,
  status: 'paused',
  paused: true,
})
export const resumeAnswer = jsonAnswer('The session goes on.', pauseReceiptSchema, {
  ...sessionCardExample,
  paused: false,
})

export const branchAnswer = (description: string) =>
  jsonAnswer(description, branchReceiptSchema, {
    ...sessionCardExample,
    parent: { agent: 'scripted', id: 'chat-0', seq: 8 },
  })

export const replayAnswer = jsonAnswer(
  'The new session, in which `prompts` prompts wait for their turns.',
  replayReceiptSchema,
  { ...sessionCardExample, parent: { agent: 'scripted', id: 'chat-0', seq: 1 }, prompts: 3 },
)

export const turnAnswer = jsonAnswer('It is taken; it may wait its turn.', turnReceiptSchema, {
  ...sessionCardExample,
  status: 'running',
  runId: 'r-2',
  turn_id: 'r-2',
  run_id: 'r-2',
  message_id: 'm-2',
  delivery: 'started',
  after: 'ev-1',
})

export const backgroundAnswer = jsonAnswer(
  'It is in the log, and runs by itself from here on; the session, with its health.',
  backgroundReceiptSchema,
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

export const chatSessionAnswer = jsonAnswer('The session.', chatSessionSchema, {
  ...sessionDetailExample,
  background_artifacts: [{ ...artifactExample, session_id: 'bg-1' }],
})
