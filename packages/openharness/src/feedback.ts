// Reports of a shell about its own work: feedback says what became of each directive, telemetry says what the shell noticed.

/**
 * The end of a directive. `executed`: its handler returned. `degraded`: a text was shown instead. `skipped`: nothing was done.
 * `denied`: the user did not approve. `expired`: its deadline passed before it began. `failed`: its handler threw or exceeded its time.
 * `aborted`: the turn was ended first.
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

/** The end of one directive, as data that may be sent to the engine: no payload, no text of an error. */
export interface DirectiveFeedback {
  /** The request whose response has the directive. */
  readonly request_id: string
  /** The place of the directive in its response. */
  readonly index: number
  /** The type of the directive, or null where it has none. */
  readonly action_type: string | null
  /** The end of the directive. */
  readonly outcome: DirectiveOutcome
  /** The reason where it was not executed. */
  readonly code: FeedbackCode | null
  /** The wrong field of a directive or payload that breaks the protocol. */
  readonly field: string | null
  /** The time from its turn in the order to its end; approval included. */
  readonly duration_ms: number
}

/** A diagnostic event of a shell. It stays on the device unless the program sends it somewhere. */
export interface ShellTelemetry {
  /** A code of the feedback, or something noticed about a whole response. */
  readonly code: FeedbackCode | 'capability_denied' | 'ignored_field' | 'too_many_follow_ups' | 'hook_failed'
  /** The request that the event belongs to. */
  readonly request_id: string
  /** The place of the directive in its response. */
  readonly index?: number
  /** The type of the directive. */
  readonly action_type?: string
  /** The field or capability that the event is about. */
  readonly field?: string
  /** The error that a handler or a hook threw. */
  readonly error?: unknown
}
