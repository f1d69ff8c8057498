// A route is a row of a table: its input, its scope and its answers. The router, the access checks, the input checks and
// /openapi.json all read that table, so they cannot disagree.

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
  /** May have parameters, such as `:id`. */
  readonly path: string
  /** `open` = no credential is needed, and the rate limiter does not count the request. */
  readonly scope: Scope | 'open'
  readonly furtherScopes?: readonly Scope[]
  /** The route needs a lasting credential: a ticket is denied. */
  readonly refusesTickets?: boolean
  readonly summary: string
  /** The call of `fabricClient` that sends this request, from which `npm run docs` writes it. Absent: a call that is more than one request. */
  readonly call?: string | ClientCall
  /**
   * `server` = the answer is about all tenants: a credential that is bound to tenants or to a user is denied. `directory` = the
   * tenant's directory answers, which may be another process. `sessions` = the answer needs the logs of several sessions, which a
   * target may have in several processes.
   */
  readonly concerns?: 'server' | 'directory' | 'sessions'
  /** The route stops work: in production it is open for private agents, too. */
  readonly stopsWork?: boolean
  /** Finds the session of a route that concerns one. It runs before the query and the body are checked. */
  readonly session?: (call: RouteContext) => Promise<Key | Denial> | Key | Denial
  readonly query?: RouteSchema
  /** An unknown parameter is refused: other routes answer with a warning. */
  readonly refusesUnknownParameters?: boolean
  readonly body?: RouteSchema
  /** The body is a file of any type, and of at most this many bytes. */
  readonly fileBytesMax?: number
  /** The row declares its query and body, and another part of the server checks them. */
  readonly isValidatedElsewhere?: boolean
  /** Headers that the row reads, beyond those that every row reads. */
  readonly headers?: readonly RequestHeader[]
  /** Every answer of the row by status, except the errors that rows have in common. */
  readonly answers: { readonly [status: number]: AnswerDescription }
  /** The tenant that the body names, on a wire whose messages may name one; null = none. */
  readonly tenant?: (body: JsonObject) => string | null
  /** The response of a denial, on a wire that has its own shape for errors. `body` is null where nobody has read it. */
  readonly renderDenial?: (denial: Denial, body: JsonObject | null, ports: AppPorts) => Response
  readonly handle: (call: RouteCall<unknown, unknown>) => Promise<Response | Denial> | Response | Denial
}

/** A call of `fabricClient`, where its row alone does not say everything. */
export interface ClientCall {
  readonly name: string
  /** Fields of the query or body that are arguments of their own. Default: the required ones. */
  readonly positional?: readonly string[]
  /** The type of the other fields, where the title of the query or body does not name it. */
  readonly options?: string
  /** Fields that the call does not take. */
  readonly omits?: readonly string[]
  /** No field is required, and the route refuses a request without any. */
  readonly requiresOptions?: boolean
  /** The type of the answer, where it is not the title of the schema. */
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

/** The part of a call that is there before its query and body are checked. */
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
  /** The session that the route's `session` found; null = the route concerns none. */
  readonly key: Key | null
}

type RouteFields<Q, B> = Omit<Route, 'method' | 'path' | 'query' | 'body' | 'handle'> & {
  readonly query?: Q
  readonly body?: B
  readonly handle: (call: RouteCall<SchemaOutput<Q>, SchemaOutput<B>>) => Promise<Response | Denial> | Response | Denial
}

/** Declares a route with its handler typed by its schemas. */
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

/** Checks the request by the route's schemas, and calls its handler. */
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

/** Adds warnings about unknown fields of the body to `warnings`. */
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

/** The route may begin work, or erase some. */
export const startsWork = ({ scope, stopsWork = false }: Pick<Route, 'scope' | 'stopsWork'>): boolean =>
  scope === 'operate' && !stopsWork

/** A time without a zone is UTC: a caller does not know the zone of the server. */
const inUtc = (text: string): string => (/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`)

/** ISO 8601, as milliseconds. `Date.parse` alone takes `0` for a year. */
export const timeSchema = v.pipe(
  v.string(),
  v.transform(inUtc),
  v.check((text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)), 'Expected an ISO 8601 time'),
  v.transform((text) => Date.parse(text)),
)

/** The number of entries on a page. Zero is refused as a mistake of the caller. */
export const limitSchema = (max: number) =>
  v.pipe(
    v.string(),
    v.check((text) => /^\d{1,9}$/.test(text), 'Expected a whole number'),
    v.metadata({ type: 'integer', minimum: 1, maximum: max }),
    v.transform(Number),
    v.maxValue(max),
    v.minValue(1),
  )

/** Names of parts that an answer leaves out. A name that this version does not know leaves out nothing. */
export const omitSchema = v.optional(
  v.pipe(
    v.string(),
    v.transform((text) => text.split(',').map((name) => name.trim())),
  ),
)
