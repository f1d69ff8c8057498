// Routes of the past: the log of a session, page by page. docs/protocol/history.md has their rules.

import * as v from 'valibot'
import { json } from '../answers/answer-schema.ts'
import { logPageAnswer } from '../answers/history-answers.ts'
import { LOG_PAGE_MAX } from '../limits.ts'
import { badRequest, type Denial, isDenial } from '../router/denial.ts'
import { limitSchema, type Route, route } from '../router/route.ts'
import { findKey, findSession } from '../sessions/routes.ts'
import type { SessionLogPage } from '../wire.ts'
import { logEntries, logSessionOf } from './log-pages.ts'

/** A number alone is of the present log; `41~2` names the incarnation too. */
const placeSchema = v.pipe(
  v.string(),
  v.regex(/^\d{1,15}(~\d{1,9})?$/, 'Expected the `next` of an earlier answer, or a number of an event'),
  v.transform((text) => {
    const [seq = '', incarnation] = text.split('~')
    return { seq: Number(seq), incarnation: incarnation === undefined ? null : Number(incarnation) }
  }),
)

export const historyRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/sessions/:id/log',
    scope: 'observe',
    summary:
      'A page of the log of a session: every event by its number, oldest first; `content=none` leaves the text of artifacts out',
    call: 'log',
    session: findKey,
    query: v.looseObject({
      after: v.optional(placeSchema),
      limit: v.optional(limitSchema(LOG_PAGE_MAX)),
      content: v.optional(v.picklist(['all', 'none'])),
    }),
    answers: { 200: logPageAnswer },
    handle: async (call) => {
      const session = await findSession(call)
      if (isDenial(session)) return session
      const { after = { seq: 0, incarnation: null }, limit = LOG_PAGE_MAX, content = 'all' } = call.query
      const { own: incarnation } = session.incarnations
      if (after.seq > session.state.head || (after.incarnation ?? incarnation) !== incarnation) return otherLog()
      const entries = await logEntries(session, { after: after.seq, limit, withContent: content === 'all' })
      const { head } = session.state
      const last = entries.at(-1)?.seq ?? after.seq
      const next = entries.length > 0 && last < head ? last : null
      return json<SessionLogPage>({ session: logSessionOf(session), entries, head, incarnation, next })
    },
  }),
]

/** The numbers of a session that was removed, or whose newest events were lost, name other events now. */
const otherLog = (): Denial =>
  badRequest(
    'query: after: This is a place in another log of the session. Leave `after` out to read from the beginning.',
  )
