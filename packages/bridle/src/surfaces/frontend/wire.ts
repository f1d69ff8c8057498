// The frontend contract's envelopes, as clients read them.
import type { Tier, VisibleEventType } from '../../kernel/catalogue.ts'
import type { Payloads } from '../../kernel/schemas.ts'
import type { HealthSnapshot } from '../../kernel/views/health-snapshot.ts'

export interface StreamEnvelopeOf<T extends VisibleEventType> {
  readonly type: T
  readonly payload: Payloads[T]
  /** The number of the event in its session; in the greeting, the number after which the stream continues. */
  readonly seq: number
  readonly session_id: string
  /** ISO 8601. */
  readonly timestamp: string
  /** The turn of the event, and the attempt at that turn. */
  readonly turn_id?: string
  readonly attempt?: number
  /** An engine reported a fact that only the session decides: show it, and do not act on it. */
  readonly hearsay?: true
  /** A custom event: the agent chose `type` and `payload`. */
  readonly custom?: true
}

/** `{ type, payload }` and its position in the log. Narrows by `type`. */
export type StreamEnvelope = { [T in VisibleEventType]: StreamEnvelopeOf<T> }[VisibleEventType]

export interface HealthEnvelope {
  readonly type: 'health_snapshot'
  readonly payload: HealthSnapshot
  readonly seq: number
  readonly session_id: string
  readonly timestamp: string
}

/** A row of `/stream-events`. */
export interface StreamEventRow {
  readonly type: VisibleEventType
  readonly tier: Tier
  readonly persisted: boolean
  readonly source: string
  readonly role: string
}

/** A position that a session can be resumed or branched from. */
export interface ResumePoint {
  readonly kind: 'checkpoint' | 'approval' | 'turn'
  readonly event_id: string
  readonly resume_cursor: string
  readonly summary: string
  readonly timestamp: string
}
