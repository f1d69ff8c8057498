// The state holds sums, steps and event numbers; payloads are read from the log.

import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import { CITATIONS_MAX } from '@bridle/events/limits'
import { type AnyEvent, eventId } from '@bridle/kernel/event'
import { eventWithIncarnations } from '@bridle/kernel/positions/incarnation'
import type { Step } from '@bridle/kernel/projections/reports/step'
import { approximateChars } from '@bridle/kernel/text/size'
import { isoOrNull } from '@bridle/kernel/views/session-fields'
import { allSteps, currentStep, usageTotals } from '@bridle/kernel/views/work-progress'
import type { SessionCitation, SessionNotice, SessionReports, SessionStep } from '../http/wire.ts'
import { LOOKUP_BATCH } from './envelopes.ts'
import { openProposals } from './proposals.ts'
import type { EventLookup, SessionFacts } from './session-facts.ts'

/** Limit per payload, and for all citations together. A page has about twenty, and must stay below 4 MB. */
export const NOTICE_CHARS_MAX = 100_000

export function* reportsOf(session: SessionFacts): EventLookup<SessionReports> {
  const { state, incarnations } = session
  const { warnings, compactions, guardrail, instructions } = state.notices
  return {
    usage: usageTotals(state),
    steps: allSteps(state.steps).map((step) => stepEntry(step, incarnations.own)),
    step: currentStep(state.steps),
    citations: yield* citationsOf(session),
    context_pack: yield* contextPackOf(session),
    guardrail: guardrail === null ? null : ((yield* noticesAt(session, [guardrail]))[0] ?? null),
    context_warnings: yield* noticesAt(session, warnings),
    compactions: yield* noticesAt(session, compactions),
    instructions: instructions === null ? null : ((yield* noticesAt(session, [instructions.seq]))[0] ?? null),
    memory_proposals: openProposals(state.memory),
  }
}

const stepEntry = ({ id, title, status, startedAt, endedAt, seq }: Step, incarnation: number): SessionStep => ({
  step: id,
  title,
  status,
  started_at: isoOrNull(startedAt),
  ended_at: isoOrNull(endedAt),
  event_id: eventId(seq, incarnation),
})

/** Oldest first. Older events are not read. */
function* citationsOf(session: SessionFacts): EventLookup<readonly SessionCitation[]> {
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

/** Omits the citations, and lifts the fields of the document pack to the top level. */
function* contextPackOf(session: SessionFacts): EventLookup<SessionNotice | null> {
  const { retrieval } = session.state.notices
  const [event] = retrieval === null ? [] : yield [retrieval]
  if (!event) return null
  const { citations: _citations, context_pack: pack, ...fields } = payloadOf(session, event)
  return noticeOf(session, event, { ...fields, ...(isJsonObject(pack) && pack) })
}

/** Agents may cite by name only. */
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

function* noticesAt(session: SessionFacts, seqs: readonly number[]): EventLookup<readonly SessionNotice[]> {
  const events = yield seqs
  return events.map((event) => noticeOf(session, event, payloadOf(session, event)))
}

/** An oversized payload would slow the page down. Readers find it in the log by event id. */
const noticeOf = ({ incarnations }: SessionFacts, event: AnyEvent, fields: JsonObject): SessionNotice => ({
  ...(approximateChars(fields) > NOTICE_CHARS_MAX ? { isCut: true } : fields),
  event_id: eventId(event.seq, incarnations.own),
  timestamp: new Date(event.at).toISOString(),
})

const payloadOf = ({ key, incarnations }: SessionFacts, event: AnyEvent): JsonObject =>
  eventWithIncarnations(event, key, incarnations).payload as JsonObject
