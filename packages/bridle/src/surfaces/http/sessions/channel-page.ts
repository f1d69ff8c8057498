// The route of a session's channel: its events as envelopes between participants, page by page.

import * as v from 'valibot'
import { ENVELOPES_MAX } from '../../../kernel/limits.ts'
import { parseEventId } from '../../../kernel/positions/log-position.ts'
import { json } from '../answers/answer-schema.ts'
import { channelPageAnswer } from '../answers/session-answers.ts'
import { CHANNEL_PAGE_MAX } from '../limits.ts'
import { badRequest, isDenial } from '../router/denial.ts'
import { limitSchema, type Route, route } from '../router/route.ts'
import type { ChannelPage } from '../wire.ts'
import { channelPage } from './parts/channel.ts'
import { findKey, findSession } from './routes.ts'

export const channelRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/sessions/:id/channel',
    scope: 'observe',
    summary: 'Events of a session as envelopes between its participants, the newest page first',
    session: findKey,
    query: v.looseObject({
      agent: v.optional(v.string()),
      limit: v.optional(limitSchema(CHANNEL_PAGE_MAX)),
      before: v.optional(v.string()),
    }),
    answers: { 200: channelPageAnswer },
    handle: async (call) => {
      const session = await findSession(call)
      if (isDenial(session)) return session
      const { limit = ENVELOPES_MAX, before } = call.query
      const position = before === undefined ? null : parseEventId(before)
      if (before !== undefined && !position)
        return badRequest('query: before: Expected the `next` of an earlier answer')
      // A cursor of another incarnation is a place in another channel, so the channel begins again.
      const end = position?.incarnation === session.incarnations.own ? position.seq : Number.POSITIVE_INFINITY
      return json<ChannelPage>(await channelPage(session, end, limit))
    },
  }),
]
