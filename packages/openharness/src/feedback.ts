/**
 * Result of a directive. `degraded`: its text was shown instead. `skipped`: nothing was done. `denied`: the user did not
 * approve. `expired`: its deadline passed before it started. `failed`: its handler threw or timed out. `aborted`: the turn
 * ended first.
 */
export type DirectiveOutcome = 'executed' | 'degraded' | 'skipped' | 'denied' | 'expired' | 'failed' | 'aborted'

/** Why a directive was not executed. */
export type FeedbackCode =
  | 'unknown_action_type'
  | 'invalid_directive'
  | 'invalid_payload'
  | 'not_approved'
  | 'no_approver'
  | 'deadline_passed'
  | 'handler_failed'
  | 'handler_timed_out'
  | 'turn_aborted'

/** Result of one directive, safe to send to the engine: no payload and no error text. */
export interface DirectiveFeedback {
  /** Request whose response contained the directive. */
  readonly request_id: string
  /** Index of the directive in its response. */
  readonly index: number
  /** Type of the directive, or null if it has none. */
  readonly action_type: string | null
  /** Result of the directive. */
  readonly outcome: DirectiveOutcome
  /** Reason, if the directive was not executed. */
  readonly code: FeedbackCode | null
  /** The invalid field, if the directive or its payload breaks the protocol. */
  readonly field: string | null
  /** Time from the directive's turn to its result, including approval. */
  readonly duration_ms: number
}

/** A diagnostic event. The shell never sends it to the engine. */
export interface ShellTelemetry {
  /** A feedback code, or a problem with the whole response. */
  readonly code: FeedbackCode | 'capability_denied' | 'ignored_field' | 'too_many_follow_ups' | 'hook_failed'
  /** Request that the event belongs to. */
  readonly request_id: string
  /** Index of the directive in its response. */
  readonly index?: number
  /** Type of the directive. */
  readonly action_type?: string
  /** Field or capability that the event is about. */
  readonly field?: string
  /** The error thrown by a handler or hook. */
  readonly error?: unknown
}
