// Router, access checks, validation and /openapi.json all read this table, so they cannot disagree.

import type { JsonObject } from '@bridle/events/json'
import type { Key } from '@bridle/kernel/event'
import type { Context } from 'hono'
import * as v from 'valibot'
import type { AppPorts } from '../../app.ts'
import type { Access, Scope } from '../access/authenticate.ts'
import { refusePrivateAgent } from '../access/exposure.ts'
import { isOtherUsersSession } from '../access/users.ts'
import type { AnswerDescription } from '../answers/answer-schema.ts'
import { type Denial, extendDenial, isDenial, missingSession } from '../denials/denial.ts'
import type { RequestBody } from '../requests/body.ts'
import { parseInput } from '../requests/parse-input.ts'
import {
  refuseUnknownParameters,
  unknownFields,
  unknownParameters,
  warningFields,
  withWarnings,
} from '../requests/warnings.ts'

type RouteSchema = v.GenericSchema<unknown, unknown>
type SchemaOutput<S> = S extends v.GenericSchema<unknown, infer O> ? O : undefined

export interface Route {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  readonly path: string
  /** `open`: no credential is required, and requests do not count towards rate limits. */
  readonly scope: Scope | 'open'
  readonly furtherScopes?: readonly Scope[]
  readonly refusesTickets?: boolean
  readonly summary: string
  /** Name of the generated `fabricClient` call. Absent if the call takes more than one request. */
  readonly call?: string | ClientCall
  /** `server`: spans all tenants, so bound credentials are denied. The others may be answered by another process. */
  readonly concerns?: 'server' | 'directory' | 'sessions'
  /** Stops work, so it is open for private agents even in production. */
  readonly stopsWork?: boolean
  /** Finds the route's session. Runs before query and body are validated. */
  readonly session?: (call: RouteContext) => Promise<Key | Denial> | Key | Denial
  readonly query?: RouteSchema
  /** Other routes only warn. */
  readonly refusesUnknownParameters?: boolean
  readonly body?: RouteSchema
  /** The body is a file of any type, up to this size. */
  readonly fileBytesMax?: number
  /** Query and body are declared here but validated by another part of the server. */
  readonly isValidatedElsewhere?: boolean
  /** Headers beyond those that every row reads. */
  readonly headers?: readonly RequestHeader[]
  /** By status, without the errors shared by all rows. */
  readonly answers: { readonly [status: number]: AnswerDescription }
  readonly tenant?: (body: JsonObject) => string | null
  /** For wires with their own error format. `body` is null if it was not read. */
  readonly renderDenial?: (denial: Denial, body: JsonObject | null, ports: AppPorts) => Response
  readonly handle: (call: RouteCall<unknown, unknown>) => Promise<Response | Denial> | Response | Denial
}

/** Details of a `fabricClient` call that do not follow from its row. */
export interface ClientCall {
  readonly name: string
  /** Query or body fields passed as separate arguments. Default: the required ones. */
  readonly positional?: readonly string[]
  /** Type of the other fields, if it differs from the title of the query or body. */
  readonly options?: string
  readonly omits?: readonly string[]
  /** No single field is required, but the route refuses a request without any. */
  readonly requiresOptions?: boolean
  /** Type of the answer, if it differs from the schema's title. */
  readonly answer?: string
  readonly fixed?: Readonly<Record<string, string>>
}

export type RequestHeader =
  | 'Idempotency-Key'
  | 'Prefer'
  | 'Last-Event-ID'
  | 'Range'
  | 'If-Range'
  | 'If-Match'
  | 'If-None-Match'

/** Available before query and body are validated. */
export interface RouteContext {
  readonly request: Request
  readonly param: (name: string) => string
  readonly access: Access
  readonly ports: AppPorts
  readonly rawBody: RequestBody
}

export interface RouteCall<Q, B> extends RouteContext {
  readonly c: Context
  readonly query: Q
  readonly body: B
  readonly key: Key | null
}

type RouteFields<Q, B> = Omit<Route, 'method' | 'path' | 'query' | 'body' | 'handle'> & {
  readonly query?: Q
  readonly body?: B
  readonly handle: (call: RouteCall<SchemaOutput<Q>, SchemaOutput<B>>) => Promise<Response | Denial> | Response | Denial
}

export const route = <
  const Q extends RouteSchema | undefined = undefined,
  const B extends RouteSchema | undefined = undefined,
>(
  row: Pick<Route, 'method' | 'path'> & RouteFields<Q, B>,
): Route => row as unknown as Route

const routesBy =
  (method: Route['method']) =>
  <const Q extends RouteSchema | undefined = undefined, const B extends RouteSchema | undefined = undefined>(
    path: string,
    fields: RouteFields<Q, B>,
  ): Route =>
    route({ method, path, ...fields })

export const get = routesBy('get')
export const post = routesBy('post')
export const remove = routesBy('delete')

export const serveRoute = async (
  row: Route,
  c: Context,
  { access, ports, rawBody }: Pick<RouteContext, 'access' | 'ports' | 'rawBody'>,
): Promise<Response | Denial> => {
  const refused = row.refusesUnknownParameters ? refuseUnknownParameters(row.query, c.req.query()) : null
  if (refused) return refused
  const warnings = row.isValidatedElsewhere ? [] : unknownParameters(row.query, c.req.query())
  const answer = await validateAndHandle(row, c, { access, ports, rawBody, warnings })
  return isDenial(answer) ? extendDenial(answer, { details: warningFields(warnings) }) : withWarnings(answer, warnings)
}

const validateAndHandle = async (
  row: Route,
  c: Context,
  {
    access,
    ports,
    rawBody,
    warnings,
  }: Pick<RouteContext, 'access' | 'ports' | 'rawBody'> & { readonly warnings: string[] },
): Promise<Response | Denial> => {
  const param = (name: string) => c.req.param(name) ?? ''
  const context: RouteContext = { request: c.req.raw, param, access, ports, rawBody }
  const key = (await row.session?.(context)) ?? null
  if (isDenial(key)) return key
  if (key && (await isOtherUsersSession(access, key, ports.directory))) return missingSession(context)
  const denial = key && startsWork(row) ? refusePrivateAgent(context, key.agent) : null
  if (denial) return denial
  const query = row.query && !row.isValidatedElsewhere ? parseInput(row.query, c.req.query(), 'query') : undefined
  if (isDenial(query)) return query
  let body: unknown
  if (row.body && !row.isValidatedElsewhere) {
    const object = await rawBody.object()
    if (isDenial(object)) return object
    warnings.push(...unknownFields(row.body, object))
    body = parseInput(row.body, object, 'body')
    if (isDenial(body)) return body
  }
  return row.handle({ ...context, c, query, body, key })
}

export const startsWork = ({ scope, stopsWork = false }: Pick<Route, 'scope' | 'stopsWork'>): boolean =>
  scope === 'operate' && !stopsWork

/** Without a zone, assume UTC: callers do not know the server's zone. */
const inUtc = (text: string): string => (/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`)

/** Stricter than `Date.parse`, which accepts `0` as a year. */
export const timeSchema = v.pipe(
  v.string(),
  v.transform(inUtc),
  v.check((text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)), 'Expected an ISO 8601 time'),
  v.transform((text) => Date.parse(text)),
)

/** Zero is refused as a caller's mistake. */
export const limitSchema = (max: number) =>
  v.pipe(
    v.string(),
    v.check((text) => /^\d{1,9}$/.test(text), 'Expected a whole number'),
    v.metadata({ type: 'integer', minimum: 1, maximum: max }),
    v.transform(Number),
    v.maxValue(max),
    v.minValue(1),
  )

/** Unknown names are ignored. */
export const omitSchema = v.optional(
  v.pipe(
    v.string(),
    v.transform((text) => text.split(',').map((name) => name.trim())),
  ),
)
