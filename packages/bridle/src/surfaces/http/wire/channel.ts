// The channel of a session: its participants and their messages.
import type { Json } from '../../../kernel/json.ts'

/** The participants of a session, and its newest events as envelopes from one participant to others. */
export interface SessionChannel {
  readonly channel_id: string
  readonly participants: readonly ChannelParticipant[]
  readonly envelopes: readonly ChannelEnvelope[]
  /** Pass it as `before` to `GET /sessions/:id/channel` for the envelopes before these. */
  readonly next?: string
}

/** A page of the envelopes of a session. */
export interface ChannelPage {
  /** The envelopes, oldest first. */
  readonly envelopes: readonly ChannelEnvelope[]
  /** Pass it as `before` for the page before this one. */
  readonly next?: string
}

export interface ChannelParticipant {
  readonly participant_id: string
  readonly kind: 'runtime' | 'agent' | 'operator' | 'tool'
  readonly name: string
}

/** An event of a session as an envelope from one participant to others. */
export interface ChannelEnvelope {
  /** The id of the event. */
  readonly event_id: string
  /** The number of the event. */
  readonly seq: number
  /** The time, in ISO 8601. */
  readonly timestamp: string
  /** The participant that the event comes from. */
  readonly sender_id: string
  /** The participants that the event is for. */
  readonly recipient_ids: readonly string[]
  /** The type of the event. */
  readonly event_type: string
  /** A line for people. */
  readonly summary: string
  /** The content of the event. */
  readonly payload: Json
}
