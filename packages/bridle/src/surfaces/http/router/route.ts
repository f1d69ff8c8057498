// A route is a row: what it takes, who may call it, what it answers. The table is the only way to add one, so the access
// rules, the input checks and /openapi.json cannot disagree with what is served.
import type { Context } from 'hono'
import * as v from 'valibot'
import { isId, type Key } from '../../../kernel/event.ts'
import type { JsonObject } from '../../../kernel/json.ts'
import type { Access, Scope } from '../access/authenticate.ts'
import { refusePrivateAgent } from '../access/exposure.ts'
import { isOtherUsersSession } from '../access/users.ts'
import { createRequestBody, type RequestBody } from '../requests/body.ts'
import { issueText } from '../requests/issue-text.ts'
import { unknownFields, unknownParameters, warningFields, withWarnings } from '../requests/warnings.ts'
import type { AppPorts } from './app.ts'
import { badRequest, type Denial, extendDenial, isDenial, notFound } from './denial.ts'

type RouteSchema = v.GenericSchema<unknown, unknown>
type SchemaOutput<S> = S extends v.GenericSchema<unknown, infer O> ? O : undefined

export interface Route {
  readonly method: 'get' | 'post' | 'delete'
  /** With `:name` parameters. */
  readonly path: string
  /** open: anybody, not even counted by the rate limiter. */
  readonly scope: Scope | 'open'
  /** A ticket does not open it, only a lasting credential. */
  readonly refusesTickets?: boolean
  readonly summary: string
  /** What it tells is of all tenants together: not for a credential that is bound to some, or to a user. */
  readonly concerns?: 'server'
  /** The row stops work, which an operator may do to a private agent in production too. */
  readonly stopsWork?: boolean
  /** Of a row that concerns one session: which. Asked before anything of the request is looked at. */
  readonly session?: (call: RouteContext) => Promise<Key | Denial> | Key | Denial
  readonly query?: RouteSchema
  readonly body?: RouteSchema
  /** Its query and body are for somebody else to look at. */
  readonly isValidatedElsewhere?: boolean
  /** What it answers when all is well, by status. */
  readonly answers: { readonly [status: number]: string }
  readonly handle: (call: RouteCall<unknown, unknown>) => Promise<Response | Denial> | Response | Denial
}

/** What is known of a call before its query and body are read. */
export interface RouteContext {
  readonly request: Request
  readonly param: (name: string) => string
  readonly access: Access
  readonly ports: AppPorts
  /** Read once, by whoever asks first. */
  readonly rawBody: RequestBody
}

export interface RouteCall<Q, B> extends RouteContext {
  readonly c: Context
  readonly query: Q
  readonly body: B
  /** What the row's `session` found. */
  readonly key: Key | null
}

/** Declares a route with its handler typed by its schemas. */
export const route = <
  const Q extends RouteSchema | undefined = undefined,
  const B extends RouteSchema | undefined = undefined,
>(
  given: Omit<Route, 'query' | 'body' | 'handle'> & {
    readonly query?: Q
    readonly body?: B
    readonly handle: (
      call: RouteCall<SchemaOutput<Q>, SchemaOutput<B>>,
    ) => Promise<Response | Denial> | Response | Denial
  },
): Route => given as unknown as Route

/** Parses the request by the row's schemas, once, and calls its handler. */
export const serveRoute = async (
  row: Route,
  c: Context,
  access: Access,
  ports: AppPorts,
): Promise<Response | Denial> => {
  const warnings = row.isValidatedElsewhere ? [] : unknownParameters(row.query, c.req.query())
  const answer = await validateAndHandle(row, c, { access, ports, warnings })
  return isDenial(answer) ? extendDenial(answer, { details: warningFields(warnings) }) : withWarnings(answer, warnings)
}

/** Adds to the warnings what is unknown in the body. */
const validateAndHandle = async (
  row: Route,
  c: Context,
  { access, ports, warnings }: Pick<RouteContext, 'access' | 'ports'> & { readonly warnings: string[] },
): Promise<Response | Denial> => {
  const param = (name: string) => c.req.param(name) ?? ''
  const sent = createRequestBody(c.req.raw, ports.maxBodyBytes)
  const arrival: RouteContext = { request: c.req.raw, param, access, ports, rawBody: sent }
  const key = (await row.session?.(arrival)) ?? null
  if (isDenial(key)) return key
  if (key && (await isOtherUsersSession(access, key, ports.directory))) return notFound()
  const closed = key && startsWork(row) ? refusePrivateAgent(ports, key.agent) : null
  if (closed) return closed
  const query = row.query ? validate(row.query, c.req.query(), 'query') : undefined
  if (isDenial(query)) return query
  let body: unknown
  if (row.body) {
    const read = await sent.object()
    if (isDenial(read)) return read
    warnings.push(...unknownFields(row.body, read))
    body = validate(row.body, read, 'body')
    if (isDenial(body)) return body
  }
  return row.handle({ ...arrival, c, query, body, key })
}

/** Whether it may begin new work, or erase some. */
export const startsWork = ({ scope, stopsWork = false }: Pick<Route, 'scope' | 'stopsWork'>): boolean =>
  scope === 'operate' && !stopsWork

const validate = (schema: RouteSchema, value: unknown, where: string): unknown => {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const issue = result.issues[0]
  return badRequest(`${where}: ${issueText(issue)}`)
}

/** A whole number in a query. */
export const countSchema = (most: number) =>
  v.pipe(v.string(), v.regex(/^\d{1,9}$/, 'Expected a whole number'), v.transform(Number), v.maxValue(most))

/** How many entries a page may have. None at all is a mistake of the caller's. */
export const limitSchema = (most: number) => v.pipe(countSchema(most), v.minValue(1))

export const optionalId = v.optional(
  v.pipe(
    v.string(),
    v.check((id) => isId(id), 'Expected an id'),
  ),
)

export const jsonObject = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'Expected an object',
)
