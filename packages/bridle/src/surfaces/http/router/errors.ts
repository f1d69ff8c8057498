// Errors in the shapes that the Fabric document gives them: text for 400, 404 and 501, an object for the rest.
import type { Refusal, RefusalCode } from '../../../kernel/commands.ts'
import { StoreFault, type StoreFaultCode } from '../../../kernel/ports/store.ts'

export type ErrorType =
  | 'unauthorized'
  | 'forbidden'
  | 'conflict'
  | 'body_too_large'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable'

const statuses: { readonly [T in ErrorType]: number } = {
  unauthorized: 401,
  forbidden: 403,
  conflict: 409,
  body_too_large: 413,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
}

/** Short: a message may quote what the caller sent. */
export const badRequest = (message: string): Response =>
  Response.json({ error: message.length > 500 ? `${message.slice(0, 500)}…` : message }, { status: 400 })
/** Statuses that the document does not name have its plain shape: a text that says what to do. */
export const plainError = (
  status: 405 | 412 | 415 | 416,
  message: string,
  headers: Record<string, string> = {},
): Response => Response.json({ error: message }, { status, headers })
export const notFound = (): Response => Response.json({ error: 'Not found' }, { status: 404 })
export const errorResponse = (type: ErrorType, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ error: { type, message } }, { status: statuses[type], headers })

/** The server is about to stop: another one, or this one after its restart, takes the request. */
export const serverStopping = (): Response =>
  errorResponse('unavailable', 'The server is going away. Ask again in a moment.', { 'retry-after': '1' })

/** Every refusal, once: 404 is text, a conflict is an object, anything else is the caller's bad input. */
const refusalKinds: { readonly [R in RefusalCode]: 'missing' | 'conflict' | 'bad' | 'later' } = {
  session_not_found: 'missing',
  message_not_found: 'missing',
  approval_not_found: 'missing',
  session_ended: 'conflict',
  session_exists: 'conflict',
  session_full: 'conflict',
  run_active: 'conflict',
  approval_settled: 'conflict',
  already_paused: 'conflict',
  not_paused: 'conflict',
  not_expired: 'conflict',
  command_conflict: 'conflict',
  prompt_empty: 'bad',
  prompt_too_long: 'bad',
  too_large: 'bad',
  bad_branch_point: 'bad',
  queue_full: 'later',
  busy: 'later',
}

export const refusalResponse = ({ refused: code, message }: Refusal): Response => {
  const kind = refusalKinds[code]
  if (kind === 'missing') return notFound()
  if (kind === 'bad') return badRequest(message)
  return kind === 'conflict'
    ? errorResponse('conflict', message)
    : errorResponse('rate_limited', message, { 'retry-after': '1' })
}

const faultMessages: { readonly [F in StoreFaultCode]: string } = {
  fenced: 'The session moved; try again.',
  full: 'The store is full; nothing was written.',
  outcome_unknown: 'The store failed; whether it was written is not known. Repeat with the same Idempotency-Key.',
  unsynced:
    'The disk failed to confirm a write, so nothing is written until it does. Try again with the same Idempotency-Key.',
  corrupt: 'The log of this session is damaged; it is stopped.',
  gone: 'The data folder, or a file in it, was removed or replaced; nothing is written.',
  unreachable: 'What lies outside of the log cannot be reached; nothing was written. Try again.',
  content_gone: 'The content of this artifact is gone: it is no longer where it was put.',
  refused: 'The store refused the write.',
}

/** Trying again changes nothing. */
const permanentFaults: ReadonlySet<StoreFaultCode> = new Set(['corrupt', 'content_gone'])

/** Messages sent outside carry no stack and no cause. */
export const faultResponse = (error: unknown): Response =>
  error instanceof StoreFault
    ? errorResponse(permanentFaults.has(error.code) ? 'internal_error' : 'unavailable', faultMessages[error.code])
    : errorResponse('internal_error', 'Something went wrong here.')
