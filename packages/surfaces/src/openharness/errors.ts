// Closed set of engine errors, with status and retryability.
import { type JsonObject, present } from '@bridle/events/json'
import type { ErrorObject } from '@bridle/wire/openharness/wire'
import { Denial, type DenialCode, denialStatus } from '../http/denials/denial.ts'

interface ErrorKind {
  readonly status: number
  readonly retryable: boolean
  /** Denial that carries the error to the edge. */
  readonly denied: DenialCode
}

export const engineErrors = {
  invalid_request: { status: 400, retryable: false, denied: 'bad_request' },
  protocol_version_unsupported: { status: 400, retryable: false, denied: 'bad_request' },
  unauthorized: { status: 401, retryable: false, denied: 'unauthorized' },
  forbidden: { status: 403, retryable: false, denied: 'forbidden' },
  not_found: { status: 404, retryable: false, denied: 'not_found' },
  request_id_conflict: { status: 409, retryable: false, denied: 'conflict' },
  session_conflict: { status: 409, retryable: false, denied: 'conflict' },
  run_cancelled: { status: 409, retryable: false, denied: 'conflict' },
  continuation_used: { status: 409, retryable: false, denied: 'conflict' },
  continuation_expired: { status: 410, retryable: false, denied: 'conflict' },
  rate_limited: { status: 429, retryable: true, denied: 'rate_limited' },
  engine_error: { status: 500, retryable: false, denied: 'internal_error' },
  internal_error: { status: 500, retryable: false, denied: 'internal_error' },
  engine_unavailable: { status: 503, retryable: true, denied: 'unavailable' },
  engine_timeout: { status: 504, retryable: true, denied: 'unavailable' },
} as const satisfies { readonly [code: string]: ErrorKind }

export type EngineErrorCode = keyof typeof engineErrors

export const engineError = (
  code: EngineErrorCode,
  message: string,
  details: JsonObject = {},
  headers: { readonly [name: string]: string } = {},
): Denial => new Denial(engineErrors[code].denied, message, headers, { code, details })

/** For a run that has started: without a request id, a retry would start another one. */
export const withoutRetry = (denial: Denial): Denial =>
  errorOf(denial).error.retryable
    ? new Denial(
        denial.denied,
        'The run goes on. Its answer is in the session; only a request with a request_id can be sent again for it.',
        {},
        { ...denial.details, retryable: false },
      )
    : denial

/** Path within the message. As in the golden messages, payload fields omit `request`. */
export const invalidField = (field: string, message: string): Denial =>
  engineError('invalid_request', message, { field })

export const requestIdConflict = (): Denial =>
  engineError('request_id_conflict', 'This request_id was used for another request in this session.')

export const expiredContinuation = (message = 'There is no such run in this session.'): Denial =>
  engineError('continuation_expired', message)

/** Denials of code shared by all wires. */
const codesOfDenials: { readonly [D in DenialCode]?: EngineErrorCode } = {
  bad_request: 'invalid_request',
  unauthorized: 'unauthorized',
  forbidden: 'forbidden',
  not_found: 'not_found',
  method_not_allowed: 'invalid_request',
  conflict: 'session_conflict',
  body_too_large: 'invalid_request',
  unsupported_encoding: 'invalid_request',
  rate_limited: 'rate_limited',
  unavailable: 'engine_unavailable',
}
const fieldsOfDenials: { readonly [D in DenialCode]?: string } = {
  method_not_allowed: 'method',
  unsupported_encoding: 'content-encoding',
}

export const errorOf = (denial: Denial): { readonly error: ErrorObject; readonly status: number } => {
  const own = denial.details as {
    readonly code?: EngineErrorCode
    readonly details?: JsonObject
    readonly retryable?: boolean
  }
  const code = own.code ?? codesOfDenials[denial.denied] ?? 'internal_error'
  const { retryable, status } = { ...engineErrors[code], ...present({ retryable: own.retryable }) }
  const field: JsonObject = code === 'invalid_request' ? { field: fieldsOfDenials[denial.denied] ?? 'body' } : {}
  const details = { ...field, ...own.details }
  return {
    status: own.code === undefined ? denialStatus(denial) : status,
    error: { code, message: denial.message, retryable, ...(Object.keys(details).length > 0 && { details }) },
  }
}
