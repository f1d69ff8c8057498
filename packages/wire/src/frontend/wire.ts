// The frontend contract's envelopes, as clients read them.
import type { VisibleEventType } from '@bridle/events/catalogue'
import type { Payloads } from '@bridle/events/schemas'
import type { EnvelopePosition } from './wire/streams.ts'

export type * from './wire/sessions.ts'
export type * from './wire/streams.ts'

/** An event of one type on the frontend's stream. */
export interface StreamEnvelopeOf<T extends VisibleEventType> extends EnvelopePosition {
  /** The type, which says what `payload` holds. */
  readonly type: T
  /** The content of the event. */
  readonly payload: Payloads[T]
}

/** `{ type, payload }` and its position in the log. Narrows by `type`. */
export type StreamEnvelope = { [T in VisibleEventType]: StreamEnvelopeOf<T> }[VisibleEventType]
