// The frontend contract's envelopes, as a client meets them.
import type { Tier, VisibleEventType } from '../../kernel/catalogue.ts'
import type { Payloads } from '../../kernel/schemas.ts'
import type { HealthSnapshot } from '../../kernel/views/health-snapshot.ts'

export interface StreamEnvelopeOf<T extends VisibleEventType> {
  readonly type: T
  readonly payload: Payloads[T]
  /** The number of the event in its session; of the greeting, the number after which the stream goes on. */
  readonly seq: number
  readonly session_id: string
  /** ISO 8601. */
  readonly timestamp: string
  /** The turn it belongs to, and which try at it. */
  readonly turn_id?: string
  readonly attempt?: number
  /** An engine said what only the session decides: shown, and believed by nobody. */
  readonly hearsay?: true
  /** An agent's own event: `type` and `payload` are the agent's. */
  readonly custom?: true
}

/** `{ type, payload }`, and where it stands. Narrows by `type`. */
export type StreamEnvelope = { [T in VisibleEventType]: StreamEnvelopeOf<T> }[VisibleEventType]

export interface HealthEnvelope {
  readonly type: 'health_snapshot'
  readonly payload: HealthSnapshot
  readonly seq: number
  readonly session_id: string
  readonly timestamp: string
}

/** One row of `/stream-events`. */
export interface StreamEventRow {
  readonly type: VisibleEventType
  readonly tier: Tier
  readonly persisted: boolean
  readonly source: string
  readonly role: string
}

/** Where one can go on from. */
export interface ResumePoint {
  readonly kind: 'checkpoint' | 'approval' | 'turn'
  readonly event_id: string
  readonly resume_cursor: string
  readonly summary: string
  readonly timestamp: string
}
