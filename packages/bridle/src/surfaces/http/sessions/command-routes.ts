// Routes that send one command to a session: cancel, archive, rename, and signals.
import * as v from 'valibot'
import { present } from '../../../kernel/json.ts'
import { archiveAnswer, cancelAnswer, renameAnswer, signalAnswer } from '../answers/session-answers.ts'
import { actorFields, agentQuery, anyJson, type Route, requiredId } from '../router/route.ts'
import { commandRoute } from './routes.ts'
import { sessionTitle } from './session-settings.ts'

export const cancelRoutes: readonly Route[] = [
  commandRoute({
    path: '/sessions/:id/cancel',
    summary: 'Cancel the run in progress, or the one named; with `queue` also the prompts that wait',
    call: 'cancel',
    stopsWork: true,
    body: v.looseObject({ runId: v.optional(v.string()), queue: v.optional(v.boolean()), ...actorFields }),
    answers: { 200: cancelAnswer },
    command: ({ runId, queue, reason }) => ({ type: 'cancel', ...present({ runId, queue, reason }) }),
  }),
]

const archiveRoute = (type: 'archive' | 'unarchive', summary: string): Route =>
  commandRoute({
    path: `/sessions/:id/${type}`,
    summary,
    call: type,
    query: agentQuery,
    body: v.looseObject(actorFields),
    answers: { 200: archiveAnswer },
    command: ({ reason }) => ({ type, ...present({ reason }) }),
  })

export const archiveRoutes: readonly Route[] = [
  archiveRoute('archive', 'Put a session away: lists leave it out, and a prompt takes it out again'),
  archiveRoute('unarchive', 'Take an archived session out again'),
]

export const renameRoutes: readonly Route[] = [
  commandRoute({
    method: 'patch',
    path: '/sessions/:id',
    summary: 'Give a session a title',
    call: 'rename',
    query: agentQuery,
    body: v.looseObject({ title: sessionTitle, actor: v.optional(v.string()) }),
    answers: { 200: renameAnswer },
    command: ({ title }) => ({ type: 'rename', title }),
  }),
]

export const signalRoutes: readonly Route[] = [
  // Needs the scope `operate`: a signal gives the agent new input, as a prompt does. An answer to an approval only decides about a known call.
  commandRoute({
    path: '/sessions/:id/signal',
    summary: 'Send a signal to the run, which waits for it by name, or will',
    call: { name: 'signal', positional: ['name', 'payload'], options: 'SignalRequestOptions' },
    query: agentQuery,
    body: v.looseObject({ name: requiredId, payload: anyJson, actor: v.optional(v.string()) }),
    answers: { 200: signalAnswer },
    command: ({ name, payload }) => ({ type: 'signal', name, payload }),
  }),
]
