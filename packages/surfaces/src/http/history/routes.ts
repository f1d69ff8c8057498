// Rules: docs/protocol/history.md.

import { entryOf } from '@bridle/history/scrubbed-entry'
import type { Session } from '@bridle/kernel/session/session'
import type { LogSession, SessionLogPage, SessionTree } from '@bridle/wire/http/wire'
import { entryWithoutContent, type LogEntry } from '@bridle/wire/log-entry'
import * as v from 'valibot'
import { viewerOf } from '../access/users.ts'
import { json } from '../answers/answer-schema.ts'
import { logPageAnswer } from '../answers/history-answers.ts'
import { sessionTreeAnswer } from '../answers/tree-answers.ts'
import { badRequest, type Denial } from '../denials/denial.ts'
import { get, limitSchema, type Route } from '../router/route.ts'
import { findKey, onSession } from '../sessions/routes.ts'
import { sessionTreeOf } from './session-tree.ts'

/** At this size, 100,000 events take 50 requests. */
const LOG_PAGE_MAX = 2_000
/** A page ends after this many characters: a browser parses 2 MB without a pause. */
const LOG_PAGE_CHARS = 2_000_000

/** A bare number refers to the current log; `41~2` also names the incarnation. */
const placeSchema = v.pipe(
  v.string(),
  v.regex(/^\d{1,15}(~\d{1,9})?$/, 'Expected the `next` of an earlier answer, or a number of an event'),
  v.transform((text) => {
    const [seq = '', incarnation] = text.split('~')
    return { seq: Number(seq), incarnation: incarnation === undefined ? null : Number(incarnation) }
  }),
)

export const historyRoutes: readonly Route[] = [
  get('/sessions/:id/log', {
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
    handle: onSession(async (session, call) => {
      const { after = { seq: 0, incarnation: null }, limit = LOG_PAGE_MAX, content = 'all' } = call.query
      const { own: incarnation } = session.incarnations
      if (after.seq > session.state.head || (after.incarnation ?? incarnation) !== incarnation) return otherLog()
      const entries = await logEntries(session, { after: after.seq, limit, withContent: content === 'all' })
      const { head } = session.state
      const last = entries.at(-1)?.seq ?? after.seq
      const next = entries.length > 0 && last < head ? last : null
      return json<SessionLogPage>({ session: logSessionOf(session), entries, head, incarnation, next })
    }),
  }),
]

export const treeRoutes: readonly Route[] = [
  get('/sessions/:id/tree', {
    scope: 'observe',
    summary: 'The whole tree of branches that a session belongs to',
    call: 'sessionTree',
    session: findKey,
    answers: { 200: sessionTreeAnswer },
    handle: onSession(async (session, call) => {
      return json<SessionTree>(await sessionTreeOf(call.ports, session, await viewerOf(call.access)))
    }),
  }),
]

/** The numbers of a deleted session, or of lost events, now name other events. */
const otherLog = (): Denial =>
  badRequest(
    'query: after: This is a place in another log of the session. Leave `after` out to read from the beginning.',
  )

const logSessionOf = ({ key, state: { lifecycle }, incarnations }: Session): LogSession => ({
  id: key.id,
  agent: key.agent,
  kind: lifecycle.kind,
  ...(lifecycle.parent && {
    parent: { ...lifecycle.parent, incarnation: incarnations.parent?.incarnation ?? 1 },
  }),
})

const logEntries = async (
  session: Session,
  { after, limit, withContent }: { readonly after: number; readonly limit: number; readonly withContent: boolean },
): Promise<LogEntry[]> => {
  const entries: LogEntry[] = []
  let seen = after
  for (let chars = 0; entries.length < limit && chars < LOG_PAGE_CHARS; ) {
    const missing = limit - entries.length
    const events = withContent ? await session.readWithContent(seen, missing) : await session.read(seen, missing)
    const last = events.at(-1)
    if (!last) break
    for (const event of events) {
      const entry = withContent ? entryOf(event) : entryWithoutContent(entryOf(event))
      entries.push(entry)
      chars += JSON.stringify(entry.payload).length
    }
    seen = last.seq
  }
  return entries
}
