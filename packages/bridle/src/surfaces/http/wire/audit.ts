// The audit trail.
import type { AuditEntry } from '../../../kernel/projections/indexes/audit.ts'

export type { AuditEntry }

/** A page of what operators and the server did with a session. */
export interface AuditPage {
  /** The rows of this page, newest first. */
  readonly audit: readonly AuditEntry[]
  /** Pass it as `before` for the next page. */
  readonly next?: string
}
