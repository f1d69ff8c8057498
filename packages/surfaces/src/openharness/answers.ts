// Every status has a full envelope.

import type { ResponseMessage, StreamFrame } from '@bridle/wire/openharness/wire'
import { responseMessage, streamFrame } from '@bridle/wire/openharness/wire/messages'
import { type AnswerDescription, jsonAnswer, streamAnswer, withStream } from '../http/answers/answer-schema.ts'
import { type EngineErrorCode, engineErrors } from './errors.ts'

const success: ResponseMessage = {
  protocol_version: '1.0.0',
  request_id: 'req_1',
  supported_protocol_versions: ['1.0.0'],
  supported_capabilities: {},
  capability_denials: [],
  response: {
    status: 'success',
    engine_latency_ms: 120,
    action_directives: [{ action_type: 'render_message', payload: { text: 'Two files.' } }],
    extensions: { 'dev.bridle': { session_id: 'sess_1', run_id: 'r-2' } },
  },
}

const failure = (code: EngineErrorCode, retryable: boolean): ResponseMessage => ({
  ...success,
  response: {
    status: 'error',
    error: {
      code,
      message: 'What to do.',
      retryable,
      ...(code === 'invalid_request' && { details: { field: 'body' } }),
    },
  },
})

/** Statuses of denials without an engine error code. */
const invalidStatuses = [405, 413, 415]

const codes = Object.entries(engineErrors) as [EngineErrorCode, { status: number; retryable: boolean }][]
const failures = [
  ...codes.map(([code, { status, retryable }]) => [status, code, retryable] as const),
  ...invalidStatuses.map((status) => [status, 'invalid_request', false] as const),
].toReversed()

const partial: StreamFrame = {
  type: 'partial',
  seq: 12,
  changes: [{ index: 0, directive: { action_type: 'render_message', payload: { text: 'Two ' } } }],
}

export const engineAnswers: { readonly [status: number]: AnswerDescription } = {
  200: withStream(
    jsonAnswer('What the shell shall render or execute.', responseMessage, success),
    streamAnswer('The same while the run works.', streamFrame, { id: '12', data: partial }),
  ),
  ...Object.fromEntries(
    failures.map(([status, code, retryable]) => [
      status,
      jsonAnswer(`An error, such as \`${code}\`.`, responseMessage, failure(code, retryable)),
    ]),
  ),
}
