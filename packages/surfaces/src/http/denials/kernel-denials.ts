import type { Refusal, RefusalCode, Settlement } from '@bridle/kernel/commands'
import { StoreFault, type StoreFaultCode } from '@bridle/kernel/ports/store-fault'
import type { SettledApprovalDetails } from '@bridle/wire/http/wire'
import { badRequest, Denial, invalidAnswer, notFound, rateLimited, sessionNotFound } from './denial.ts'

const refusalDenials: {
  readonly [R in RefusalCode]:
    | 'not_found'
    | 'conflict'
    | 'confirm_import'
    | 'bad_request'
    | 'invalid_answer'
    | 'rate_limited'
} = {
  session_not_found: 'not_found',
  message_not_found: 'not_found',
  approval_not_found: 'not_found',
  proposal_not_found: 'not_found',
  session_ended: 'conflict',
  session_exists: 'conflict',
  session_full: 'conflict',
  run_active: 'conflict',
  approval_settled: 'conflict',
  proposal_decided: 'conflict',
  memory_full: 'conflict',
  already_paused: 'conflict',
  not_waiting: 'conflict',
  signals_full: 'conflict',
  not_paused: 'conflict',
  not_expired: 'conflict',
  command_conflict: 'conflict',
  confirm_import: 'confirm_import',
  prompt_empty: 'bad_request',
  prompt_too_long: 'bad_request',
  too_large: 'bad_request',
  bad_branch_point: 'bad_request',
  // The approval stays open, as with other invalid arguments.
  arguments_fixed: 'bad_request',
  arguments_invalid: 'bad_request',
  invalid_answer: 'invalid_answer',
  answer_missing: 'bad_request',
  not_a_question: 'bad_request',
  queue_full: 'rate_limited',
  busy: 'rate_limited',
}

/** `sessionId` as named in the request. Without it, the message about a missing session names none. */
export const refusalDenial = ({ refused: code, message, settlement }: Refusal, sessionId?: string): Denial => {
  switch (refusalDenials[code]) {
    case 'not_found':
      if (code !== 'session_not_found') return new Denial('not_found', message)
      return sessionId === undefined ? notFound() : sessionNotFound(sessionId)
    case 'bad_request':
      return badRequest(message)
    case 'invalid_answer':
      return invalidAnswer(message)
    case 'conflict':
      return new Denial('conflict', message, {}, settlement && settledDetails(settlement))
    case 'confirm_import':
      return new Denial('confirm_import', message)
    case 'rate_limited':
      return rateLimited(message)
  }
}

const settledDetails = ({ decision, decidedBy, decidedByClaimed, decidedAt }: Settlement): SettledApprovalDetails => ({
  decision: settledStatus(decision),
  decidedBy,
  ...(decidedByClaimed && { decidedByClaimed }),
  decidedAt: new Date(decidedAt).toISOString(),
})

/** Lists show a withdrawn question as cancelled. */
export const settledStatus = (decision: string): SettledApprovalDetails['decision'] =>
  decision === 'approved' || decision === 'denied' || decision === 'expired' ? decision : 'cancelled'

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
  in_use: 'Another process has the data folder; nothing was written.',
  busy: 'This credential has too many long lists in progress; wait for them.',
  refused: 'The store refused the write.',
}

/** Retrying does not help. */
const permanentFaults: ReadonlySet<StoreFaultCode> = new Set(['corrupt', 'content_gone'])

/** Neither cause nor stack: both are only for the server's log. */
export const faultDenial = (error: unknown): Denial => {
  if (!(error instanceof StoreFault)) return new Denial('internal_error', 'Something went wrong here.')
  const message = faultMessages[error.code]
  if (error.code === 'busy') return rateLimited(message)
  return new Denial(permanentFaults.has(error.code) ? 'internal_error' : 'unavailable', message)
}

/** Keeps the fault's cause for the request log. */
export const settle = <T>(
  answering: Promise<T>,
): Promise<{ readonly answer: T | Denial; readonly fault: { readonly cause?: string } }> =>
  answering.then(
    (answer) => ({ answer, fault: {} }),
    (error: unknown) => ({
      answer: faultDenial(error),
      fault: { cause: error instanceof Error ? error.message : String(error) },
    }),
  )
