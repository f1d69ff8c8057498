// The routes of OpenHarness: the engine that shells ask, and the schema of its messages.
import { anyObject, jsonAnswer } from '../http/answers/answer-schema.ts'
import { type Route, route } from '../http/router/route.ts'
import { messageSchema } from './definitions.ts'

export const openharnessRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/openharness/schema',
    scope: 'observe',
    summary: 'The JSON Schema of OpenHarness messages',
    answers: {
      200: jsonAnswer('Draft 2020-12, equivalent to the normative draft.', anyObject, {
        oneOf: [{ $ref: '#/$defs/requestMessage' }, { $ref: '#/$defs/responseMessage' }],
      }),
    },
    handle: () => Response.json(messageSchema()),
  }),
]
