import { jsonObject } from '@bridle/wire/http/wire/request-values'
import { requestMessage } from '@bridle/wire/openharness/wire/messages'
import { jsonAnswer } from '../http/answers/answer-schema.ts'
import { jsonResponse } from '../http/answers/json-response.ts'
import { get, post, type Route } from '../http/router/route.ts'
import { engineAnswers } from './answers.ts'
import { errorEnvelope, tenantOf } from './codec.ts'
import { messageSchema } from './definitions.ts'
import { sessionKeyOf } from './session-key.ts'
import { takeTurn } from './turn.ts'

/** The engine validates messages itself, with the protocol's own errors. */
const engineRoute = (path: string): Route =>
  post(path, {
    scope: 'operate',
    summary: 'Ask the engine, as an OpenHarness shell',
    session: sessionKeyOf,
    tenant: tenantOf,
    body: requestMessage,
    isValidatedElsewhere: true,
    headers: ['Idempotency-Key', 'Last-Event-ID'],
    renderDenial: errorEnvelope,
    answers: engineAnswers,
    handle: (call) => takeTurn(call),
  })

export const openharnessRoutes: readonly Route[] = [
  engineRoute('/v1/openharness'),
  engineRoute('/openharness'),
  get('/v1/openharness/schema', {
    scope: 'observe',
    summary: 'The JSON Schema of OpenHarness messages',
    answers: {
      200: jsonAnswer('Draft 2020-12, equivalent to the normative draft.', jsonObject, {
        oneOf: [{ $ref: '#/$defs/requestMessage' }, { $ref: '#/$defs/responseMessage' }],
      }),
    },
    handle: () => jsonResponse(messageSchema()),
  }),
]
