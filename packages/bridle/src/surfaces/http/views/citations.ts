// The sources that an agent has named: the newest citations, and the documents that the newest retrieval put before the model.

import { eventId } from '../../../kernel/event.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.ts'
import { CITATIONS_MAX } from '../../../kernel/limits.ts'
import { approximateChars } from '../../../kernel/text/size.ts'
import type { SessionCitation, SessionNotice } from '../wire.ts'
import { LOOKUP_BATCH, NOTICE_CHARS_MAX } from './limits.ts'
import { noticeOf, payloadOf } from './notices.ts'
import type { EventLookup, SessionFacts } from './session-facts.ts'

/** The newest citations, oldest first, limited in number and in size. Older events are not read. */
export function* citationsOf(session: SessionFacts): EventLookup<readonly SessionCitation[]> {
  const { cited } = session.state.notices
  let found: SessionCitation[] = []
  for (let end = cited.length; end > 0 && found.length < CITATIONS_MAX; end -= LOOKUP_BATCH) {
    const events = yield cited.slice(Math.max(0, end - LOOKUP_BATCH), end)
    const citations = events.flatMap((event) =>
      event.type === 'retrieval'
        ? (event.payload.citations ?? []).map((citation) => ({
            ...fieldsOf(citation as Json),
            event_id: eventId(event.seq, session.incarnations.own),
          }))
        : [],
    )
    found = [...citations, ...found]
  }
  return newestThatFit(found.slice(-CITATIONS_MAX))
}

/** The fields of the newest retrieval but its citations; those of its pack of documents stand beside the others. */
export function* contextPackOf(session: SessionFacts): EventLookup<SessionNotice | null> {
  const { retrieval } = session.state.notices
  const [event] = retrieval === null ? [] : yield [retrieval]
  if (!event) return null
  const { citations: _citations, context_pack: pack, ...fields } = payloadOf(session, event)
  return noticeOf(session, event, { ...fields, ...(isJsonObject(pack) && pack) })
}

/** An agent may cite by a name alone. */
const fieldsOf = (citation: Json): JsonObject =>
  isJsonObject(citation) ? citation : { title: typeof citation === 'string' ? citation : JSON.stringify(citation) }

const newestThatFit = (citations: readonly SessionCitation[]): readonly SessionCitation[] => {
  let chars = 0
  const last = citations.findLastIndex((each) => {
    chars += approximateChars(each)
    return chars > NOTICE_CHARS_MAX
  })
  return citations.slice(last + 1)
}
