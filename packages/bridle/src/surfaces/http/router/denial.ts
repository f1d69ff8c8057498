// A denial: the reason why a caller does not get what it asks for. A denial stays a value until the edge, so that code decides
// by its code; only the router, the socket routes and the targets turn it into a response or a close frame.
import { DENIAL_CHARS_MAX } from '../limits.ts'

/** Statuses, and the shape of the body: the Fabric document has a plain text for some errors, and an object for the others. */
export const denialKinds = {
  bad_request: { status: 400, body: 'text' },
  unauthorized: { status: 401, body: 'object' },
  forbidden: { status: 403, body: 'object' },
  not_found: { status: 404, body: 'text' },
  method_not_allowed: { status: 405, body: 'text' },
  conflict: { status: 409, body: 'object' },
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

/** A class, since a plain shape could be forged: a request's body may be any JSON object, and stands where a denial may stand. */
export class Denial {
  readonly denied: DenialCode
  readonly message: string
  /** In lower case, such as `retry-after`, `allow` or `www-authenticate`. */
  readonly headers: DenialHeaders
  /** Fields of the body beside the error. */
  readonly details: object

  constructor(denied: DenialCode, message: string, headers: DenialHeaders = {}, details: object = {}) {
    this.denied = denied
    this.message = message
    this.headers = headers
    this.details = details
  }
}

export const isDenial = (value: unknown): value is Denial => value instanceof Denial

/** The message is cut short: it may quote the caller's own text. */
export const badRequest = (message: string): Denial =>
  new Denial('bad_request', message.length > DENIAL_CHARS_MAX ? `${message.slice(0, DENIAL_CHARS_MAX)}…` : message)

export const notFound = (): Denial => new Denial('not_found', 'Not found')

/** The server is about to stop: another one, or this one after its restart, takes the request. */
export const serverStopping = (): Denial =>
  new Denial('unavailable', 'The server is going away. Ask again in a moment.', { 'retry-after': '1' })

export const extendDenial = (
  { denied, message, headers, details }: Denial,
  more: Partial<Pick<Denial, 'headers' | 'details'>>,
): Denial => new Denial(denied, message, { ...headers, ...more.headers }, { ...details, ...more.details })

export const denialStatus = ({ denied }: Denial): number => denialKinds[denied].status

export const denialBody = ({ denied, message, details }: Denial) => ({
  error: denialKinds[denied].body === 'text' ? message : { type: denied, message },
  ...details,
})

export const toResponse = (denial: Denial): Response =>
  Response.json(denialBody(denial), { status: denialStatus(denial), headers: denial.headers })

export interface CloseFrame {
  /** Sent before the close: a browser shows a page no more than the code and the reason. */
  readonly message: string
  readonly code: number
  readonly reason: string
}

export const toCloseFrame = ({ denied, message }: Denial): CloseFrame => {
  const [code, reason] = closeCodes[denied] ?? [1011, 'The session cannot be opened.']
  return { message: JSON.stringify({ type: 'error', message }), code, reason }
}

const closeCodes: { readonly [D in DenialCode]?: readonly [code: number, reason: string] } = {
  forbidden: [1008, 'Refused.'],
  not_found: [4004, 'There is no such session.'],
  unavailable: [1012, 'The session moved: resume by cursor.'],
}
