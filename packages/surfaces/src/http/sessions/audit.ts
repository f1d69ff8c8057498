import { eventId } from '@bridle/kernel/event'
import { auditRow, wireAuditRow } from '@bridle/kernel/projections/indexes/audit'
import type { Session } from '@bridle/kernel/session/session'
import type { AuditPage } from '@bridle/wire/http/wire'
import * as v from 'valibot'
import { json } from '../answers/answer-schema.ts'
import { auditPageAnswer } from '../answers/session-answers.ts'
import { isDenial } from '../denials/denial.ts'
import { get, limitSchema, type Route } from '../router/route.ts'
import { pageEnd } from '../streams/replay.ts'
import { eventsAt } from './event-lookup.ts'
import { findKey, onSession } from './routes.ts'

/** A screenful by default. The maximum is read from the log without a noticeable wait. */
const AUDIT_PAGE_DEFAULT = 50
const AUDIT_PAGE_MAX = 200

export const auditRoutes: readonly Route[] = [
  get('/sessions/:id/audit', {
    scope: 'observe',
    summary: 'A page of what operators and the server did with a session, newest first',
    call: 'audit',
    session: findKey,
    query: v.looseObject({
      limit: v.optional(limitSchema(AUDIT_PAGE_MAX)),
      before: v.optional(v.string()),
    }),
    answers: { 200: auditPageAnswer },
    handle: onSession(async (session, call) => {
      const { limit = AUDIT_PAGE_DEFAULT, before } = call.query
      const end = pageEnd(session, before)
      if (isDenial(end)) return end
      return json<AuditPage>(await auditPage(session, end, limit))
    }),
  }),
]

const auditPage = async (session: Session, end: number, limit: number): Promise<AuditPage> => {
  const { own } = session.incarnations
  const earlier = session.state.audit.filter((seq) => seq < end)
  const seqs = earlier.slice(-limit)
  const events = await eventsAt(session, seqs)
  const audit = events.toReversed().flatMap((event) => {
    const row = auditRow(event)
    return row ? [wireAuditRow(row, session.state.lifecycle.claimedSeq, own)] : []
  })
  return { audit, ...(seqs.length < earlier.length && seqs[0] !== undefined && { next: eventId(seqs[0], own) }) }
}
