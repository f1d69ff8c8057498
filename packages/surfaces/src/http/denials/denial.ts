// A denial stays a value until the edge. Only the router, socket routes and targets make a response or close frame of it.
import { truncate } from '@bridle/kernel/text/truncate'
import { jsonResponse } from '../answers/json-response.ts'
import { DENIAL_CHARS_MAX } from '../limits.ts'
import { publicPath } from './public-path.ts'

/** Any valid session id fits. */
const DENIAL_ID_CHARS_MAX = 128
/** WebSocket limit for the reason of a close frame. */
const CLOSE_REASON_BYTES_MAX = 123

/** The Fabric document defines some error bodies as text and others as objects. */
export const denialKinds = {
  bad_request: { status: 400, body: 'text' },
  invalid_answer: { status: 400, body: 'object' },
  unauthorized: { status: 401, body: 'object' },
  forbidden: { status: 403, body: 'object' },
  not_found: { status: 404, body: 'text' },
  method_not_allowed: { status: 405, body: 'text' },
  conflict: { status: 409, body: 'object' },
  confirm_import: { status: 409, body: 'object' },
  precondition_failed: { status: 412, body: 'text' },
  body_too_large: { status: 413, body: 'object' },
  unsupported_encoding: { status: 415, body: 'text' },
  range_not_satisfiable: { status: 416, body: 'text' },
  upgrade_required: { status: 426, body: 'text' },
  rate_limited: { status: 429, body: 'object' },
  internal_error: { status: 500, body: 'object' },
  unavailable: { status: 503, body: 'object' },
} as const satisfies { readonly [code: string]: { readonly status: number; readonly body: 'text' | 'object' } }

export type DenialCode = keyof typeof denialKinds
type DenialHeaders = { readonly [name: string]: string }

/** A class, because a plain object could be forged: request bodies are arbitrary JSON and occur where a denial may. */
export class Denial {
  readonly denied: DenialCode
  readonly message: string
  /** Lower case, such as `retry-after`, `allow` or `www-authenticate`. */
  readonly headers: DenialHeaders
  readonly details: object

  constructor(denied: DenialCode, message: string, headers: DenialHeaders = {}, details: object = {}) {
    this.denied = denied
    this.message = message
    this.headers = headers
    this.details = details
  }
}

export const isDenial = (value: unknown): value is Denial => value instanceof Denial

export const badRequest = (message: string): Denial => new Denial('bad_request', shortened(message))

export const invalidAnswer = (message: string): Denial => new Denial('invalid_answer', shortened(message))

const shortened = (message: string): string =>
  message.length > DENIAL_CHARS_MAX ? `${message.slice(0, DENIAL_CHARS_MAX)}…` : message

export const badSessionId = (): Denial =>
  badRequest('The session id may have letters, digits and . _ : @ - only, at most 128, and is not . or .. alone.')

export const notFound = (): Denial => new Denial('not_found', NOT_FOUND)

const NOT_FOUND = 'Not found'

/** Built from the request alone, so that it does not reveal whether the session exists under another tenant or user. */
export const sessionNotFound = (id: string, agent: string | null = null): Denial =>
  new Denial('not_found', `There is no session ${quoted(id)}${agent === null ? '' : ` of the agent ${quoted(agent)}`}.`)

export const missingSession = ({
  param,
  request,
}: {
  readonly param: (name: string) => string
  readonly request: { readonly url: string }
}): Denial => {
  const id = param('id')
  return id === '' ? notFound() : sessionNotFound(id, param('name') || agentInQuery(request))
}

/** `?agent=` disambiguates sessions with the same id. */
export const agentInQuery = ({ url }: { readonly url: string }): string | null => new URL(url).searchParams.get('agent')

/** `kind` and `id` name the part, such as `approval apr-1`; `hint` says how to list the existing ones. */
export const partNotFound = (kind: string, id: string, hint = ''): Denial =>
  new Denial('not_found', `There is no ${kind} ${quoted(id)} in this session${hint === '' ? '' : `; ${hint}`}.`)

const quoted = (id: string): string => (id.length > DENIAL_ID_CHARS_MAX ? `${truncate(id, DENIAL_ID_CHARS_MAX)}…` : id)

/** Links to the docs as the caller reaches them. */
export const unknownPath = (request: { readonly headers: Pick<Headers, 'get'> }): Denial =>
  new Denial('not_found', `There is no such path. GET ${publicPath(request, '/docs')} shows all of them.`)

export const rateLimited = (
  message: string,
  waitSeconds = 1,
  headers: { readonly [name: string]: string } = {},
): Denial => new Denial('rate_limited', message, { 'retry-after': String(waitSeconds), ...headers })

export const serverStopping = (): Denial =>
  new Denial('unavailable', 'The server is going away. Ask again in a moment.', { 'retry-after': '1' })

export const extendDenial = (
  { denied, message, headers, details }: Denial,
  more: Partial<Pick<Denial, 'headers' | 'details'>>,
): Denial => new Denial(denied, message, { ...headers, ...more.headers }, { ...details, ...more.details })

export const denialStatus = ({ denied }: Denial): number => denialKinds[denied].status

export const denialBody = ({ denied, message, details }: Denial) => ({
  ...(denied === 'not_found' ? notFoundBody(message) : errorBody(denied, message)),
  ...details,
})

/** Fixed by the Fabric document; clients may compare it, so the explanation is a separate field. */
const notFoundBody = (message: string) => (message === NOT_FOUND ? { error: NOT_FOUND } : { error: NOT_FOUND, message })

const errorBody = (denied: DenialCode, message: string) => ({
  error: denialKinds[denied].body === 'text' ? message : { type: denied, message },
})

export const toResponse = (denial: Denial): Response =>
  jsonResponse(denialBody(denial), { status: denialStatus(denial), headers: denial.headers })

export interface CloseFrame {
  /** Sent before closing: browsers expose only the code and the reason. */
  readonly message: string
  readonly code: number
  readonly reason: string
}

export const toCloseFrame = ({ denied, message }: Denial): CloseFrame => {
  const [code, reason] = closeCodes[denied] ?? [1011, 'The session cannot be opened.']
  // Clients keep only the close reason, so it must carry any explanation, such as the list of agents.
  const isExplained = denied === 'not_found' && message !== NOT_FOUND
  return {
    message: JSON.stringify({ type: 'error', message }),
    code,
    reason: isExplained ? closeReason(message) : reason,
  }
}

const closeReason = (message: string): string => {
  const { read } = new TextEncoder().encodeInto(message, new Uint8Array(CLOSE_REASON_BYTES_MAX))
  if (read === message.length) return message
  const cut = new TextEncoder().encodeInto(message, new Uint8Array(CLOSE_REASON_BYTES_MAX - 3))
  return `${message.slice(0, cut.read)}…`
}

const closeCodes: { readonly [D in DenialCode]?: readonly [code: number, reason: string] } = {
  forbidden: [1008, 'Refused.'],
  not_found: [4004, 'There is no such session.'],
  unavailable: [1012, 'The session moved: resume by cursor.'],
}
