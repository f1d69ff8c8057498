import { present } from '@bridle/events/json'
import { anyJson, requiredId } from '@bridle/wire/http/wire/request-values'
import * as v from 'valibot'
import { archiveAnswer, cancelAnswer, renameAnswer, signalAnswer } from '../answers/session-answers.ts'
import { actorFields, optionalField, optionalText, optionsType, reasonFields } from '../requests/request-fields.ts'
import type { Route } from '../router/route.ts'
import { commandRoute } from './routes.ts'
import { sessionTitle } from './session-settings.ts'

const archiveRoute = (type: 'archive' | 'unarchive', summary: string): Route =>
  commandRoute({
    path: `/sessions/:id/${type}`,
    summary,
    call: type,
    body: v.looseObject(reasonFields),
    answers: { 200: archiveAnswer },
    command: ({ reason }) => ({ type, ...present({ reason }) }),
  })

export const commandRoutes: readonly Route[] = [
  commandRoute({
    path: '/sessions/:id/cancel',
    summary: 'Cancel the run in progress, or the one named; with `queue` also the prompts that wait',
    call: 'cancel',
    stopsWork: true,
    body: v.looseObject({
      runId: optionalText('Only this run.'),
      queue: optionalField('The prompts that wait are cancelled, too.', v.boolean()),
      ...reasonFields,
    }),
    answers: { 200: cancelAnswer },
    command: ({ runId, queue, reason }) => ({ type: 'cancel', ...present({ runId, queue, reason }) }),
  }),
  archiveRoute('archive', 'Put a session away: lists leave it out, and a prompt takes it out again'),
  archiveRoute('unarchive', 'Take an archived session out again'),
  commandRoute({
    method: 'patch',
    path: '/sessions/:id',
    summary: 'Give a session a title',
    call: 'rename',
    body: v.looseObject({ title: sessionTitle, ...actorFields }),
    answers: { 200: renameAnswer },
    command: ({ title }) => ({ type: 'rename', title }),
  }),
  // A signal is new input, so it needs `operate`. Answering an approval only decides about a known call.
  commandRoute({
    path: '/sessions/:id/signal',
    summary: 'Send a signal to the run, which waits for it by name, or will',
    call: { name: 'signal', positional: ['name', 'payload'] },
    body: optionsType('SignalRequestOptions', 'Settings of a signal.', {
      name: requiredId,
      payload: anyJson,
      ...actorFields,
    }),
    answers: { 200: signalAnswer },
    command: ({ name, payload = null }) => ({ type: 'signal', name, payload }),
  }),
]
