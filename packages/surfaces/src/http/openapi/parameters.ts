import { present } from '@bridle/events/json'
import { matchPath } from '../router/path-pattern.ts'
import type { RequestHeader, Route } from '../router/route.ts'
import { componentRef, type JsonSchema, requestSchema } from './json-schemas.ts'

export const parametersOf = (row: Route): readonly JsonSchema[] => {
  const own = queryParameters(row)
  const isListed = (name: string) => own.some((parameter) => parameter.name === name)
  return [
    ...pathParameters(row.path),
    ...own,
    ...(row.path.includes('/sessions/:id') && !isListed('agent') ? [componentRef('parameters', 'agent')] : []),
    ...(isWatched(row) ? ['token', 'ticket'].map((name) => componentRef('parameters', name)) : []),
    ...(row.scope === 'open' ? [] : ['tenant', 'tenantHeader'].map((name) => componentRef('parameters', name))),
    ...(row.headers ?? []).map((name) => componentRef('parameters', name)),
    componentRef('parameters', 'correlationId'),
  ]
}

/** Browsers open streams and sockets without custom headers, so credentials may be in the query. */
const isWatched = ({ answers }: Route): boolean =>
  answers[101] !== undefined || answers[200]?.body?.contentType === 'text/event-stream'

const pathParameters = (path: string): readonly JsonSchema[] =>
  Object.keys(matchPath(path, path) ?? {}).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: pathDescriptions[name] ?? name,
    schema: { type: 'string' },
  }))

const pathDescriptions: { readonly [name: string]: string } = {
  id: 'The id of a session',
  name: 'The name of an agent',
  runId: 'The id of a run',
  artifactId: 'The id of an artifact, or its name',
  approvalId: 'The id of an approval',
}

const queryParameters = ({ query }: Route): readonly JsonSchema[] => {
  if (!query) return []
  const { properties = {}, required = [] } = requestSchema(query) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...present({ description }),
    schema,
  }))
}

const text = { type: 'string' } as const
const query = (name: string, description: string): JsonSchema => ({ name, in: 'query', description, schema: text })
const header = (name: string, description: string, example: string): JsonSchema => ({
  name,
  in: 'header',
  description,
  schema: text,
  example,
})

const requestHeaders: { readonly [H in RequestHeader]: JsonSchema } = {
  'Idempotency-Key': header(
    'Idempotency-Key',
    'The caller’s name for the command: the same key and body have one effect and one answer.',
    'key-1',
  ),
  Prefer: header('Prefer', '`respond-async`, `wait=<seconds>`, both, or `heartbeat`.', 'respond-async'),
  'Last-Event-ID': header('Last-Event-ID', 'Resumes behind this event; it wins over `after`.', '12'),
  Range: header('Range', 'One range of bytes.', 'bytes=0-99'),
  'If-Range': header('If-Range', 'The range counts only while the content has this tag.', '"tag"'),
  'If-Match': header('If-Match', 'Refused with 412 unless the answer has one of these tags.', '"tag"'),
  'If-None-Match': header('If-None-Match', 'Answered with 304 while the answer has one of these tags.', 'W/"tag"'),
}

export const sharedParameters: Readonly<Record<string, JsonSchema>> = {
  ...requestHeaders,
  agent: query('agent', 'The agent of the session, where several agents have a session of this id.'),
  token: query('token', 'A token, for callers that cannot send headers.'),
  ticket: query('ticket', 'A one-use ticket of `POST /tickets`, for callers that cannot send headers.'),
  tenant: query('tenant', 'The tenant, where the header does not name it.'),
  tenantHeader: header('X-Fabric-Tenant', 'The tenant; default: the first of the token, else `default`.', 'default'),
  correlationId: header(
    'X-Correlation-ID',
    'The caller’s name for the request, for logs; the answer repeats it.',
    'c-1',
  ),
}
