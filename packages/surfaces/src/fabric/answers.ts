import { type AgentEvent, agentEventSchema } from '@bridle/wire/fabric/wire/events'
import {
  acceptedRunSchema,
  type InvokeFailure,
  invokeFailureSchema,
  invokeResultSchema,
  runStatusSchema,
  sessionRemovalSchema,
  timelinePageSchema,
} from '@bridle/wire/fabric/wire/runs'
import type { TypedErrorBody } from '@bridle/wire/http/wire'
import { typedErrorSchema } from '@bridle/wire/http/wire/errors'
import * as v from 'valibot'
import { jsonAnswer, streamAnswer } from '../http/answers/answer-schema.ts'
import { artifactExample, messageExamples, sessionCardExample } from '../http/answers/session-examples.ts'

const promptEvent: AgentEvent = {
  id: 'ev-2',
  type: 'prompt_start',
  timestamp: '2026-11-16T09:00:00.000Z',
  sessionId: 'chat-1',
  data: { text: 'What is in this folder?', runId: 'r-2' },
}

export const agentEventStreamAnswer = streamAnswer('An event stream.', agentEventSchema, { id: '2', data: promptEvent })

const where = { sessionId: 'chat-1', agentPath: '/agents/scripted/chat-1' }

export const invokeResultAnswer = jsonAnswer(
  '`{ result, sessionId, agentPath }`. With `Prefer: heartbeat` white space comes first, and a failed run is an error body with its `status`.',
  invokeResultSchema,
  { result: 'Two files.', ...where },
)

export const acceptedRunAnswer = jsonAnswer(
  'With `Prefer: respond-async`, or `wait=<seconds>` when they are over: accepted; Location tells where to look.',
  acceptedRunSchema,
  { status: 'accepted', ...where, runId: 'r-2' },
)

export const invokeFailureAnswer = jsonAnswer<InvokeFailure | TypedErrorBody>(
  'The run failed, or the server did.',
  v.pipe(v.union([invokeFailureSchema, typedErrorSchema]), v.title('InvokeError')),
  { error: { type: 'internal_error', message: 'The tool crashed.', reason: null }, ...where },
)

export const runStatusAnswer = jsonAnswer('`{ status, result?, error? }`', runStatusSchema, {
  runId: 'r-2',
  status: 'completed',
  result: 'Two files.',
})

export const removalAnswer = jsonAnswer('It is gone.', sessionRemovalSchema, { deleted: true, sessionId: 'chat-1' })

export const timelineAnswer = jsonAnswer('The timeline; `next` when there is more.', timelinePageSchema, {
  ...sessionCardExample,
  messages: messageExamples,
  artifacts: [artifactExample],
  entries: [
    { id: 'ev-2', type: 'prompt', timestamp: promptEvent.timestamp, runId: 'r-2', text: 'What is in this folder?' },
  ],
  events: [promptEvent],
  approvals: [],
})
