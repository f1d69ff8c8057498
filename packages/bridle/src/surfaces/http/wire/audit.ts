// The audit trail.

/** An act of an operator or of the server. */
export interface AuditEntry {
  /** The event of the act. */
  readonly event_id: string
  /** The time, in ISO 8601. */
  readonly timestamp: string
  /** The act. */
  readonly action: string
  /** The person who acted; null = the server, or not named. */
  readonly actor: string | null
  /** The caller supplied the name, since its credential has no user. Absent = the credential has this user, or there is no name. */
  readonly actor_claimed?: true
  /** A line for people. */
  readonly summary: string
  /** An imported file says so: it was not done on this server. Absent = it was. */
  readonly imported?: true
}

/** A page of what operators and the server did with a session. */
export interface AuditPage {
  /** The rows of this page, newest first. */
  readonly audit: readonly AuditEntry[]
  /** Pass it as `before` for the next page. */
  readonly next?: string
}
