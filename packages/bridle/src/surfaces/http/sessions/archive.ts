// Routes that put a session away and take it out again.
import * as v from 'valibot'
import { present } from '../../../kernel/json.ts'
import { actorField } from '../access/users.ts'
import { archiveAnswer } from '../answers/session-answers.ts'
import { type Route, route } from '../router/route.ts'
import { findKey, requireKey, sendAndShow } from './routes.ts'

const archiveRoute = (type: 'archive' | 'unarchive', summary: string): Route =>
  route({
    method: 'post',
    path: `/sessions/:id/${type}`,
    scope: 'operate',
    summary,
    call: type,
    session: findKey,
    query: v.looseObject({ agent: v.optional(v.string()) }),
    body: v.looseObject({ reason: v.optional(v.string()), actor: v.optional(v.string()) }),
    headers: ['Idempotency-Key'],
    answers: { 200: archiveAnswer },
    handle: async (call) => {
      const { reason, actor } = call.body
      return sendAndShow(call, requireKey(call), { type, ...present({ reason }), ...actorField(call.access, actor) })
    },
  })

export const archiveRoutes: readonly Route[] = [
  archiveRoute('archive', 'Put a session away: lists leave it out, and a prompt takes it out again'),
  archiveRoute('unarchive', 'Take an archived session out again'),
]
