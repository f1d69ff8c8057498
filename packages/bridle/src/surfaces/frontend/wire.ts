// The frontend contract's envelopes, as clients read them.
import type { Tier, VisibleEventType } from '../../kernel/catalogue.ts'
import type { Payloads } from '../../kernel/schemas.ts'
import type { HealthSnapshot } from '../../kernel/views/health-snapshot.ts'
import type { ArtifactSummary, SessionCard, SessionDetail } from '../http/wire.ts'

/** An event of one type on the frontend's stream. */
export interface StreamEnvelopeOf<T extends VisibleEventType> {
  /** The type, which says what `payload` holds. */
  readonly type: T
  /** The content of the event. */
  readonly payload: Payloads[T]
  /** The number of the event in its session; in the greeting, the number after which the stream continues. */
  readonly seq: number
  /** The id of the session. */
  readonly session_id: string
  /** ISO 8601. */
  readonly timestamp: string
  /** The turn of the event, and the attempt at that turn. */
  readonly turn_id?: string
  /** The number of the try at the turn. */
  readonly attempt?: number
  /** An engine reported a fact that only the session decides: show it, and do not act on it. */
  readonly hearsay?: true
  /** A custom event: the agent chose `type` and `payload`. */
  readonly custom?: true
}

/** `{ type, payload }` and its position in the log. Narrows by `type`. */
export type StreamEnvelope = { [T in VisibleEventType]: StreamEnvelopeOf<T> }[VisibleEventType]

/** A message of the health stream: the whole health of a session, each time it changes. */
export interface HealthEnvelope {
  /** The type of the message. */
  readonly type: 'health_snapshot'
  /** The health of the session. */
  readonly payload: HealthSnapshot
  /** The number of the event that the snapshot includes. */
  readonly seq: number
  /** The id of the session. */
  readonly session_id: string
  /** The time, in ISO 8601. */
  readonly timestamp: string
}

/** A row of `/stream-events`. */
export interface StreamEventRow {
  /** The event type. */
  readonly type: VisibleEventType
  /** The streams that carry it: `default` is on all, `debug` only on those that ask for it. */
  readonly tier: Tier
  /** True where the event is in the log. */
  readonly persisted: boolean
  /** The part of the system that reports the event. */
  readonly source: string
  /** The use that a frontend has for it. */
  readonly role: string
}

/** Every event that a frontend may meet on a stream. */
export interface StreamEventList {
  readonly types: readonly VisibleEventType[]
  readonly events: readonly StreamEventRow[]
}

/** A chat session, with everything that a page about it shows. */
export interface ChatSession extends SessionDetail {
  /** The artifacts of the background sessions that this one started. */
  readonly background_artifacts: readonly BackgroundArtifact[]
}

/** An artifact of a background session below this one. */
export interface BackgroundArtifact extends ArtifactSummary {
  readonly session_id: string
}

/** A prompt was accepted. */
export interface TurnReceipt extends SessionCard {
  readonly turn_id: string
  readonly run_id: string
  readonly message_id: string | null
  readonly delivery: string | null
  /** The stream of the turn begins behind this event. */
  readonly after: string
}

/** Background work was accepted. */
export interface BackgroundReceipt extends SessionCard {
  /** The run; null = the prompt waits in the queue. */
  readonly run_id: string | null
  /** The message of the prompt. */
  readonly messageId: string
  /** How the prompt was taken: at once, or into the queue. */
  readonly delivery: string
}

/** A session was paused or resumed. */
export interface PauseReceipt extends SessionCard {
  /** True where the session is paused now. */
  readonly paused: boolean
}

/** A session was branched; with a prompt, the new session runs. */
export interface BranchReceipt extends SessionCard {
  /** The session and the event that the new session continues from. */
  readonly parent: { readonly agent: string; readonly id: string; readonly seq: number }
  /** The message of the prompt, where one was sent. */
  readonly messageId?: string
  /** How the prompt was taken, where one was sent. */
  readonly delivery?: string
}

/** The prompts of a session are asked again in a branch. */
export interface ReplayReceipt extends SessionCard {
  /** The session and the event that the new session continues from. */
  readonly parent: { readonly agent: string; readonly id: string; readonly seq: number }
  /** The number of the prompts. */
  readonly prompts: number
}
