import { plainErrorSchema, typedErrorSchema } from '@bridle/wire/http/wire/errors'
import type { GenericSchema } from 'valibot'
import type { AnswerBody, AnswerDescription } from '../answers/answer-schema.ts'
import { Denial, type DenialCode, denialBody, denialKinds } from '../denials/denial.ts'
import type { Route } from '../router/route.ts'
import { answerJsonSchema, componentRef, type JsonSchema } from './json-schemas.ts'

export const responsesOf = (row: Route): Readonly<Record<string, JsonSchema>> => {
  const shared = errorsOf(row).map((code) => [denialKinds[code].status, componentRef('responses', errors[code][0])])
  const own = Object.entries(row.answers).map(([status, answer]) => [status, response(answer)])
  return {
    ...Object.fromEntries(shared),
    // Sent by Node before any route.
    431: componentRef('responses', 'HeadersTooLarge'),
    ...(row.answers[101] && { default: componentRef('responses', 'UpgradeRefused') }),
    ...(isTagged(row) && { 304: componentRef('responses', 'NotModified') }),
    ...Object.fromEntries(own),
  }
}

const response = ({ description, body, stream }: AnswerDescription): JsonSchema => ({
  description,
  ...(body && { content: { ...contentOf(body), ...(stream && contentOf(stream)) } }),
})

const contentOf = ({ contentType, schema, example, data }: AnswerBody): JsonSchema => ({
  [contentType]: {
    schema: data ? streamSchema(data) : withWarnings(contentType, schema),
    example,
  },
})

const streamSchema = (data: GenericSchema): JsonSchema => ({
  type: 'string',
  description: 'Server-sent events. `contentSchema` is of the JSON in each `data:` field.',
  contentMediaType: 'application/json',
  contentSchema: answerJsonSchema(data),
})

/** Any JSON answer may warn about unknown fields and parameters. */
const withWarnings = (contentType: string, schema: GenericSchema): JsonSchema =>
  contentType === 'application/json'
    ? { allOf: [answerJsonSchema(schema), componentRef('schemas', 'Warnings')] }
    : answerJsonSchema(schema)

export const warningsSchema: JsonSchema = {
  type: 'object',
  properties: {
    warnings: {
      type: 'array',
      items: { type: 'string' },
      description: 'Fields and parameters of the request that nobody knows, and that were ignored.',
    },
  },
}

const errors = {
  bad_request: [
    'BadRequest',
    'The request is wrong; the text says what to do.',
    'query: limit: Expected a whole number',
  ],
  unauthorized: ['Unauthorized', 'There is no valid credential.', 'A valid bearer token is required.'],
  forbidden: ['Forbidden', 'The credential does not allow it.', 'This needs the scope "operate".'],
  not_found: ['NotFound', 'There is no such thing, or none that the credential may see.', 'There is no session hello.'],
  conflict: ['Conflict', 'The state of the session does not allow it.', 'The session is paused already.'],
  precondition_failed: ['PreconditionFailed', 'No tag of If-Match is that of the answer.', 'The content has changed.'],
  body_too_large: ['BodyTooLarge', 'The body is too large.', 'The body is larger than 8388608 bytes.'],
  unsupported_encoding: ['UnsupportedEncoding', 'The body has a Content-Encoding.', 'Send it as it is, without one.'],
  range_not_satisfiable: ['RangeOutside', 'The Range lies outside of the content.', 'The artifact has 10 bytes.'],
  rate_limited: ['RateLimited', 'Too many requests; Retry-After says when to ask again.', 'Too many requests.'],
  internal_error: ['InternalError', 'The server failed.', 'Something went wrong here.'],
  unavailable: [
    'Unavailable',
    'Nothing was done; the same request may succeed later.',
    'The session moved; try again.',
  ],
} as const satisfies { readonly [code in DenialCode]?: readonly [name: string, description: string, message: string] }

/** Shared errors that such a row can return. Tests compare every answer with this. */
const errorsOf = (row: Route): readonly (keyof typeof errors)[] => {
  if (row.scope === 'open') return row.path === '/health' ? ['internal_error'] : ['rate_limited', 'internal_error']
  const isPost = row.method === 'post'
  return [
    'bad_request',
    'unauthorized',
    'forbidden',
    'not_found',
    ...(isPost && row.scope !== 'observe' ? (['conflict'] as const) : []),
    ...(isTagged(row) ? (['precondition_failed'] as const) : []),
    ...(isPost ? (['body_too_large', 'unsupported_encoding'] as const) : []),
    ...(row.headers?.includes('Range') ? (['range_not_satisfiable'] as const) : []),
    'rate_limited',
    'internal_error',
    'unavailable',
  ]
}

const isTagged = ({ headers }: Route): boolean => headers?.includes('If-None-Match') ?? false

const errorResponse = (code: DenialCode, description: string, message: string): JsonSchema => {
  const schema = denialKinds[code].body === 'text' ? plainErrorSchema : typedErrorSchema
  const example = denialBody(new Denial(code, message))
  return { description, content: { 'application/json': { schema: answerJsonSchema(schema), example } } }
}

export const sharedResponses = (): Readonly<Record<string, JsonSchema>> => ({
  NotModified: { description: 'The caller has it already: it has a tag that If-None-Match names.' },
  UpgradeRefused: errorResponse('not_found', 'The upgrade is refused.', 'There is no session hello.'),
  HeadersTooLarge: errorResponse(
    'bad_request',
    'The headers are larger than the server takes.',
    'The headers are too large.',
  ),
  ...Object.fromEntries(
    Object.entries(errors).map(([code, [name, description, message]]) => [
      name,
      errorResponse(code as DenialCode, description, message),
    ]),
  ),
})

export const errorSchemas: readonly GenericSchema[] = [plainErrorSchema, typedErrorSchema]
