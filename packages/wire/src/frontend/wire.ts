import type { VisibleEventType } from '@bridle/events/catalogue'
import type { Payloads } from '@bridle/events/schemas'
import type { EnvelopePosition } from './wire/streams.ts'

export type * from './wire/sessions.ts'
export type * from './wire/streams.ts'

/** Event of one type on the frontend's stream. */
export interface StreamEnvelopeOf<T extends VisibleEventType> extends EnvelopePosition {
  /** Event type, which determines `payload`. */
  readonly type: T
  /** Event payload. */
  readonly payload: Payloads[T]
}

/** `{ type, payload }` and its position in the log. Narrows by `type`. */
export type StreamEnvelope = { [T in VisibleEventType]: StreamEnvelopeOf<T> }[VisibleEventType]
