import type { ConformanceCase } from '../case.ts'
import {
  bearer,
  begin,
  caseOf,
  caseOn,
  get,
  greeted,
  invoke,
  ok,
  post,
  refusal,
  remove,
  run,
  shows,
  stream,
} from './steps.ts'

const refused = refusal(401, 'unauthorized')

const manySteps = Array.from({ length: 30 }, (_, at) => [
  { event: { type: 'step_progress', payload: { step_id: `step-${at}`, summary: `step ${at}` } } },
  { sleepMs: 200 },
]).flat()

export const changeCases: readonly ConformanceCase[] = [
  caseOf('[F53] the socket tells a session, its approval, the answer and the removal, in this order', [
    ...greeted('all', '/changes/ws', 'ready'),
    begin('run', [{ text: 'Hi' }, { approve: 'write', args: { path: 'a' } }]),
    { hear: 'all', message: { type: 'session', session: { id: '{s}', agent: 'scripted', status: { $any: true } } } },
    {
      hear: 'all',
      message: {
        type: 'approval',
        approval: {
          id: { $save: 'asked' },
          sessionId: '{s}',
          agent: 'scripted',
          toolName: 'write',
          status: 'pending',
        },
      },
    },
    get('/sessions/{s}', shows({ approvals: [{ id: '{asked}' }] })),
    post('/sessions/{s}/approvals/{asked}/approve', { actor: 'ann' }, ok),
    {
      hear: 'all',
      message: {
        ...{ type: 'approval_closed', id: '{asked}', session_id: '{s}', agent: 'scripted', status: 'approved' },
        decidedBy: 'ann',
      },
    },
    { answered: 'run', answer: ok },
    remove(invoke, ok),
    { hear: 'all', message: { type: 'session_removed', session_id: '{s}', agent: 'scripted' } },
    { say: 'all', message: { type: 'ping' } },
    { hear: 'all', message: { type: 'pong' } },
  ]),
  caseOf('[F53] two sockets get the same changes, and one that leaves takes none from the other', [
    ...greeted('one', '/changes/ws', 'ready'),
    ...greeted('two', '/changes/ws', 'ready'),
    run([{ text: 'Hi' }], ok),
    { hear: 'one', message: { type: 'session', session: { id: '{s}' } } },
    { hear: 'two', message: { type: 'session', session: { id: '{s}' } } },
    { hangUp: 'one' },
    remove(invoke, ok),
    { hear: 'two', message: { type: 'session_removed', session_id: '{s}' } },
  ]),
  caseOf('[F53] the event stream begins with ready, and its frames have no ids', [
    // The run must outlast opening the streams; each step changes the session's row.
    begin('run', manySteps),
    stream('first', 'ready', { path: '/changes', types: ['ready'], last: { id: null, data: { type: 'ready' } } }),
    stream('more', 'session', {
      path: '/changes',
      last: { id: null, data: { session: { id: { $any: true }, lastEventId: { $match: '^ev-' } } } },
    }),
    post('/sessions/{s}/cancel', {}, ok),
  ]),
  caseOn('token', '[F54] without a credential neither opens', [
    get('/changes', refused),
    { open: 'refused', path: '/changes/ws', refused },
    ...greeted('let in', '/changes/ws', 'ready', bearer('right')),
  ]),
  caseOn('tenants', '[F54] a reader is told of its own tenant alone', [
    ...greeted('acme', '/changes/ws', 'ready', { 'x-fabric-tenant': 'acme' }),
    ...greeted('other', '/changes/ws', 'ready', { 'x-fabric-tenant': 'umbrella' }),
    run([{ text: 'Hi' }], ok, { 'x-fabric-tenant': 'acme' }),
    { hear: 'acme', message: { type: 'session', session: { id: '{s}' } } },
    { say: 'other', message: { type: 'ping' } },
    { heard: 'other', types: ['ready', 'pong'] },
  ]),
]
