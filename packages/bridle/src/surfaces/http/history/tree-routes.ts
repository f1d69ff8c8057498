// The route of the branch tree.
import { viewerOf } from '../access/users.ts'
import { json } from '../answers/answer-schema.ts'
import { sessionTreeAnswer } from '../answers/tree-answers.ts'
import { isDenial } from '../router/denial.ts'
import { type Route, route } from '../router/route.ts'
import { findKey, findSession } from '../sessions/routes.ts'
import type { SessionTree } from '../wire.ts'
import { sessionTreeOf } from './session-tree.ts'

export const treeRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/sessions/:id/tree',
    scope: 'observe',
    summary: 'The whole tree of branches that a session belongs to',
    call: 'sessionTree',
    session: findKey,
    answers: { 200: sessionTreeAnswer },
    handle: async (call) => {
      const session = await findSession(call)
      if (isDenial(session)) return session
      return json<SessionTree>(await sessionTreeOf(call.ports, session, await viewerOf(call.access)))
    },
  }),
]
