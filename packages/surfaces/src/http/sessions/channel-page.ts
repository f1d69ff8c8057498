import { ENVELOPES_MAX } from '@bridle/events/limits'
import { hasEnvelope } from '@bridle/kernel/projections/indexes/channel'
import type { Session } from '@bridle/kernel/session/session'
import type { ChannelPage } from '@bridle/wire/http/wire'
import { channelPageOf } from '@bridle/wire/views/channel'
import * as v from 'valibot'
import { json } from '../answers/answer-schema.ts'
import { channelPageAnswer } from '../answers/session-answers.ts'
import { isDenial } from '../denials/denial.ts'
import { get, limitSchema, type Route } from '../router/route.ts'
import { pageEnd, seqsBefore } from '../streams/replay.ts'
import { lookUp } from './event-lookup.ts'
import { findKey, onSession } from './routes.ts'

/** With large payloads, 1 MB limits the page first. */
const CHANNEL_PAGE_MAX = 100
/** A long text has thousands of events without an envelope, so a page may hold fewer than requested. */
const CHANNEL_LOOKUP_MAX = 20_000

export const channelRoutes: readonly Route[] = [
  get('/sessions/:id/channel', {
    scope: 'observe',
    summary:
      'A page of the events of a session as envelopes between its participants: the newest, or those before a `next`',
    call: 'channel',
    session: findKey,
    query: v.looseObject({
      limit: v.optional(limitSchema(CHANNEL_PAGE_MAX)),
      before: v.optional(v.string()),
    }),
    answers: { 200: channelPageAnswer },
    handle: onSession(async (session, call) => {
      const { limit = ENVELOPES_MAX, before } = call.query
      const end = pageEnd(session, before)
      if (isDenial(end)) return end
      return json<ChannelPage>(await channelPage(session, end, limit))
    }),
  }),
]

const channelPage = async (session: Session, end: number, limit: number): Promise<ChannelPage> => {
  const { seqs, from } = await seqsBefore(session, end, limit + 1, hasEnvelope, CHANNEL_LOOKUP_MAX)
  return lookUp(session, (facts) => channelPageOf(facts, seqs, limit, from))
}
