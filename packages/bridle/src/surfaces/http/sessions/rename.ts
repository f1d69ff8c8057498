// The route that gives a session a title.
import * as v from 'valibot'
import { actorField } from '../access/users.ts'
import { renameAnswer } from '../answers/session-answers.ts'
import { type Route, route } from '../router/route.ts'
import { findKey, requireKey, sendAndShow } from './routes.ts'
import { sessionTitle } from './session-title.ts'

export const renameRoutes: readonly Route[] = [
  route({
    method: 'patch',
    path: '/sessions/:id',
    scope: 'operate',
    summary: 'Give a session a title',
    call: 'rename',
    session: findKey,
    query: v.looseObject({ agent: v.optional(v.string()) }),
    body: v.looseObject({
      title: sessionTitle,
      actor: v.optional(v.string()),
    }),
    headers: ['Idempotency-Key'],
    answers: { 200: renameAnswer },
    handle: async (call) => {
      const { title, actor } = call.body
      return sendAndShow(call, requireKey(call), { type: 'rename', title, ...actorField(call.access, actor) })
    },
  }),
]
