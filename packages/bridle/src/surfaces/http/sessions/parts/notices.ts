// Events whose payloads a detail shows with their place in the log.

import { type AnyEvent, eventId } from '../../../../kernel/event.ts'
import type { JsonObject } from '../../../../kernel/json.ts'
import { eventWithIncarnations } from '../../../../kernel/positions/incarnation.ts'
import type { Session } from '../../../../kernel/session/session.ts'
import { approximateChars } from '../../../../kernel/text/size.ts'
import { NOTICE_CHARS_MAX } from '../../limits.ts'
import type { SessionNotice } from '../../wire.ts'
import { eventsAt } from '../event-lookup.ts'

/** The notices of these numbers, which ascend. */
export const noticesAt = async (session: Session, seqs: readonly number[]): Promise<readonly SessionNotice[]> =>
  (await eventsAt(session, seqs)).map((event) => noticeOf(session, event, payloadOf(session, event)))

/** A payload that would make the page slow stays in the log: a reader finds it there by the event's id. */
export const noticeOf = ({ incarnations }: Session, event: AnyEvent, fields: JsonObject): SessionNotice => ({
  ...(approximateChars(fields) > NOTICE_CHARS_MAX ? { isCut: true } : fields),
  event_id: eventId(event.seq, incarnations.own),
  timestamp: new Date(event.at).toISOString(),
})

export const payloadOf = ({ key, incarnations }: Session, event: AnyEvent): JsonObject =>
  eventWithIncarnations(event, key, incarnations).payload as JsonObject
