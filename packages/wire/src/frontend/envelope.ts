// Payloads are the same as in the log, so the catalogue alone decides which events a client receives.

import { inTier, type Tier } from '@bridle/events/catalogue'
import type { AnyEvent, Event, Key } from '@bridle/kernel/event'
import { eventWithIncarnations, FIRST_INCARNATIONS, type Incarnations } from '@bridle/kernel/positions/incarnation'
import type { StreamEnvelope } from './wire.ts'

/** Null if the event is not visible in this tier. */
export const streamEnvelope = (
  key: Key,
  logged: AnyEvent,
  tier: Tier,
  logs: Incarnations = FIRST_INCARNATIONS,
): StreamEnvelope | null => {
  if (!inTier(logged.type, tier)) return null
  const event = eventWithIncarnations(logged, key, logs)
  if (event.type === 'custom_event' && !event.hearsay) return customEnvelope(key, event)
  return { type: event.type, payload: event.payload, ...envelopeFields(key, event) } as StreamEnvelope
}

/** A custom event is named by its agent. */
const customEnvelope = (key: Key, event: Event<'custom_event'>): StreamEnvelope => {
  const { name: type, data: payload } = event.payload
  return { type, payload, ...envelopeFields(key, event as AnyEvent), custom: true } as unknown as StreamEnvelope
}

const envelopeFields = (key: Key, { seq, at, run, attempt, continues = attempt, hearsay }: AnyEvent) => ({
  seq,
  session_id: key.id,
  timestamp: new Date(at).toISOString(),
  ...(run !== undefined && { turn_id: run }),
  ...(continues !== undefined && { attempt: continues }),
  ...(hearsay && { hearsay }),
})
