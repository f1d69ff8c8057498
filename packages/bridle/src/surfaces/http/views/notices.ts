// Events whose payloads a detail shows with their place in the log.

import { type AnyEvent, eventId } from '../../../kernel/event.ts'
import type { JsonObject } from '../../../kernel/json.ts'
import { eventWithIncarnations } from '../../../kernel/positions/incarnation.ts'
import { approximateChars } from '../../../kernel/text/size.ts'
import type { SessionNotice } from '../wire.ts'
import { NOTICE_CHARS_MAX } from './limits.ts'
import type { EventLookup, SessionFacts } from './session-facts.ts'

/** The notices of these numbers, which ascend. */
export function* noticesAt(session: SessionFacts, seqs: readonly number[]): EventLookup<readonly SessionNotice[]> {
  const events = yield seqs
  return events.map((event) => noticeOf(session, event, payloadOf(session, event)))
}

/** A payload that would make the page slow stays in the log: a reader finds it there by the event's id. */
export const noticeOf = ({ incarnations }: SessionFacts, event: AnyEvent, fields: JsonObject): SessionNotice => ({
  ...(approximateChars(fields) > NOTICE_CHARS_MAX ? { isCut: true } : fields),
  event_id: eventId(event.seq, incarnations.own),
  timestamp: new Date(event.at).toISOString(),
})

export const payloadOf = ({ key, incarnations }: SessionFacts, event: AnyEvent): JsonObject =>
  eventWithIncarnations(event, key, incarnations).payload as JsonObject
