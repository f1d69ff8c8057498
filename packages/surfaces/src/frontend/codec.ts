import { catalogue, STREAM_EVENT_TYPES, type Tier } from '@bridle/events/catalogue'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import { eventWithIncarnations, FIRST_INCARNATIONS, type Incarnations } from '@bridle/kernel/positions/incarnation'
import { positionText } from '@bridle/kernel/positions/log-position'
import type { Audience } from '@bridle/kernel/session/subscribers'
import type { HealthSnapshot } from '@bridle/kernel/views/health-snapshot'
import { streamEnvelope } from '@bridle/wire/frontend/envelope'
import type { HealthEnvelope, StreamEnvelope, StreamEventRow } from '@bridle/wire/frontend/wire'
import { frameAudience, sseFrame } from '../http/streams/sse.ts'

/** First envelope of a stream, not in the log: names the session, and the position after which the stream continues. */
export const greeting = (
  key: Key,
  since: number,
  at: number,
  more: { readonly [name: string]: string | boolean },
): StreamEnvelope => ({
  type: 'session',
  payload: { session_id: key.id, ...more },
  seq: since,
  session_id: key.id,
  timestamp: new Date(at).toISOString(),
})

export type OmittedTypes = readonly string[]

export const isOmitted = (omit: OmittedTypes, event: AnyEvent): boolean =>
  omit.length > 0 &&
  (omit.includes(event.type) || (event.type === 'custom_event' && !event.hearsay && omit.includes(event.payload.name)))

export const envelopeAudience = (
  key: Key,
  tier: Tier,
  logs: Incarnations = FIRST_INCARNATIONS,
  omit: OmittedTypes = [],
): Audience => {
  const name = omit.length === 0 ? `frontend:${tier}` : `frontend:${tier}:${omit.join()}`
  return frameAudience(name, logs, (event) => (isOmitted(omit, event) ? null : streamEnvelope(key, event, tier, logs)))
}

let turns = 0
/**
 * For a caller that sent a prompt and reads its turn. `head` is the session's: a replay page may end inside the turn's last
 * commit.
 */
export const turnAudience = (
  key: Key,
  tier: Tier,
  runId: string,
  head: () => number,
  logs: Incarnations = FIRST_INCARNATIONS,
): Audience & { isOver: () => boolean } => {
  let over = false
  let endedAt: number | null = null
  return {
    key: `frontend:turn:${turns++}`,
    isOver: () => over,
    encode: ({ events }) => {
      if (over) return ''
      let text = ''
      for (const event of events) {
        over ||= endedAt !== null && (event.run !== undefined || event.at !== endedAt)
        if (over) break
        const isOurs = event.run === runId || (event.type === 'turn_end' && event.payload.turn_id === runId)
        const isWanted = endedAt !== null ? event.type === 'session_state' : isOurs || event.run === undefined
        const shown = isWanted ? streamEnvelope(key, event, tier, logs) : null
        if (shown) text += sseFrame(shown, positionText(event.seq, logs.own))
        over = endedAt !== null && isWanted
        if (!event.hearsay && endsTurn(event, runId)) endedAt = event.at
      }
      over ||= endedAt !== null && (events.at(-1)?.seq ?? 0) >= head()
      // A dropped prompt has no turn and no frame. The comment makes the stream send something, and so end.
      return over && text === '' ? ': over\n\n' : text
    },
  }
}

const endsTurn = (event: AnyEvent, runId: string): boolean =>
  (event.type === 'turn_end' && event.payload.turn_id === runId) ||
  (event.type === 'prompt_dropped' && event.payload.run_id === runId)

export const healthEnvelope = (key: Key, payload: HealthSnapshot, seq: number, at: number): HealthEnvelope => ({
  type: 'health_snapshot',
  payload,
  seq,
  session_id: key.id,
  timestamp: new Date(at).toISOString(),
})

export const healthAudience = (key: Key, logs: Incarnations = FIRST_INCARNATIONS): Audience =>
  frameAudience('frontend:health', logs, (event) => {
    if (event.type !== 'health_changed' || event.hearsay) return null
    const snapshot = eventWithIncarnations(event, key, logs).payload as unknown as HealthSnapshot
    return healthEnvelope(key, snapshot, event.seq, event.at)
  })

export const streamEvents: readonly StreamEventRow[] = STREAM_EVENT_TYPES.map((type) => {
  const { tier, persisted, source, role } = catalogue[type]
  return { type, tier, persisted, source, role }
})
