// The route of signals: a message by name, for the durable run that waits for it or will.

import * as v from 'valibot'
import { actorField } from '../access/users.ts'
import { signalAnswer } from '../answers/session-answers.ts'
import { anyJson, type Route, requiredId, route } from '../router/route.ts'
import { findKey, requireKey, sendAndShow } from './routes.ts'

export const signalRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/sessions/:id/signal',
    // A signal gives the agent new input, as a prompt does. An answer to an approval only decides about a call that is known.
    scope: 'operate',
    summary: 'Send a signal to the run, which waits for it by name, or will',
    call: { name: 'signal', positional: ['name', 'payload'], options: 'SignalRequestOptions' },
    session: findKey,
    query: v.looseObject({ agent: v.optional(v.string()) }),
    body: v.looseObject({ name: requiredId, payload: anyJson, actor: v.optional(v.string()) }),
    headers: ['Idempotency-Key'],
    answers: { 200: signalAnswer },
    handle: async (call) => {
      const { name, payload, actor } = call.body
      const command = { type: 'signal', name, payload, ...actorField(call.access, actor) } as const
      return sendAndShow(call, requireKey(call), command)
    },
  }),
]
