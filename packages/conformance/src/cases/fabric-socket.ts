import type { CaseStep, ConformanceCase, Pattern } from '../case.ts'
import {
  bearer,
  begin,
  buyTicket,
  caseOf,
  caseOn,
  get,
  greeted,
  hear,
  invoke,
  ok,
  refusal,
  remove,
  run,
  shows,
  status,
  stream,
  tell,
} from './steps.ts'

const here = run([{ text: 'Hi' }], ok)
const socket = '/sessions/{s}/ws'
const replayed = greeted('a', socket, 'replay-end')
const opened = [here, ...replayed]

const hears = (type: string, data: Pattern) => hear('a', { type: 'event', event: { type, data } })
const cancel = (taskId: string, commandId: string, more: object = {}) =>
  tell('a', { type: 'cancel', taskId, commandId, ...more })
const approve = (commandId: string, more: object = {}) =>
  tell('a', { type: 'approve', approvalId: '{approval}', decision: 'approved', commandId, ...more })
const acked = (command: string, commandId: string) => hear('a', { type: 'ack', for: command, ok: true, commandId })
const refused = (command: string, commandId: string, more: { readonly message?: Pattern } = {}) =>
  hear('a', { type: 'ack', for: command, ok: false, commandId, ...more })

const asked: readonly CaseStep[] = [
  stream('asks', 'approval_requested'),
  { open: 'a', path: `${socket}?replay=all` },
  hears('approval_requested', { approvalId: { $save: 'approval' } }),
  { hear: 'a', message: { type: 'replay-end' } },
]

export const fabricSocketCases: readonly ConformanceCase[] = [
  caseOn('token', '[W2] a refused upgrade is answered like a request; a plain GET says 426', [
    { open: 'a', path: socket, refused: refusal(401, 'unauthorized') },
    { open: 'a', path: `${socket}?token=right&after=`, refused: status(101) },
    { open: 'a', path: '/nowhere?token=right', refused: status(404) },
    { open: 'a', path: `${socket}?token=right&replay=x`, refused: status(400) },
    get(`${socket}?token=right`, status(426)),
    get(socket, status(401)),
    { open: 'a', path: `${socket}?token=right`, headers: { origin: 'https://evil.example' }, refused: status(403) },
  ]),
  caseOn('token', '[W3] a ticket opens one socket, and is not named back', [
    run([{ text: 'x' }], ok, bearer('right')),
    buyTicket('ticket'),
    { open: 'a', path: socket, protocols: ['bridle.v1', 'ticket.{ticket}'], protocol: 'bridle.v1' },
    { hear: 'a', message: { type: 'replay-end' } },
    { open: 'b', path: socket, protocols: ['bridle.v1', 'ticket.{ticket}'], refused: status(401) },
  ]),
  caseOf('[W4] a session that is not there gets one error and 4004', [
    { open: 'a', path: socket },
    { hear: 'a', message: { type: 'error', message: 'There is no session {s}.' } },
    { closed: 'a', code: 4004 },
  ]),
  caseOf('[W5] what went before, the end of the replay, then what happens', [
    here,
    { open: 'a', path: `${socket}?replay=2` },
    { hear: 'a', message: { type: 'replay-end', cursor: { $save: 'cursor' } } },
    { heard: 'a', types: ['result', 'idle', 'replay-end'] },
    here,
    hear('a', { type: 'event', event: { type: 'idle' } }),
    { heard: 'a', types: ['result', 'idle', 'replay-end', 'prompt_start', 'text_delta', 'result', 'idle'] },
    ...greeted('b', `${socket}?after={cursor}`, 'replay-end'),
    { heard: 'b', types: ['prompt_start', 'text_delta', 'result', 'idle', 'replay-end'] },
    { open: 'c', path: `${socket}?after=99999` },
    { hear: 'c', message: { type: 'event', event: { type: 'reset' } } },
    { open: 'd', path: `${socket}?after=x`, refused: status(400) },
  ]),
  caseOf('[W23] a cursor of another incarnation gets a reset and all events', [
    here,
    ...greeted('a', `${socket}?after=4~2`, 'replay-end'),
    { heard: 'a', types: ['reset', 'prompt_start', 'text_delta', 'result', 'idle', 'replay-end'] },
  ]),
  caseOf('[W13] fields that are not known are ignored', [
    here,
    ...greeted('a', `${socket}?replay=0`, 'replay-end'),
    cancel('{s}', 'c-1', { mood: { calm: true } }),
    acked('cancel', 'c-1'),
  ]),
  caseOf('[W8] every command gets its ack, in order, and takes effect once', [
    begin('run', [{ text: 'a' }, { sleepMs: 30_000 }]),
    stream('started', 'text_delta'),
    ...replayed,
    cancel('nobody', 'c-1'),
    refused('cancel', 'c-1'),
    cancel('{s}', 'c-2'),
    acked('cancel', 'c-2'),
    { answered: 'run', answer: status(409) },
    cancel('{s}', 'c-2'),
    { hear: 'a', message: { type: 'ack', ok: true, commandId: 'c-2' } },
    cancel('{s}', 'c-2', { reason: 'x' }),
    { hear: 'a', message: { type: 'ack', ok: false, commandId: 'c-2' } },
  ]),
  caseOf('[W9] [A9] cancel with the id of a task stops that task alone', [
    begin('run', [{ task: 'look', id: 't-1', ms: 30_000 }, { text: 'on' }]),
    stream('started', 'task_start'),
    ...replayed,
    cancel('t-2', 'c-1'),
    refused('cancel', 'c-1'),
    cancel('t-1', 'c-2', { reason: 'enough' }),
    acked('cancel', 'c-2'),
    hears('task_end', { taskId: 't-1', status: 'stopped' }),
    { answered: 'run', answer: shows({ result: 'on' }) },
  ]),
  caseOf('[W27] a signal is refused where no run takes signals', [
    ...opened,
    { say: 'a', message: { type: 'signal', name: 'go', payload: [1], commandId: 'c-1' } },
    refused('signal', 'c-1', { message: { $any: true } }),
    { say: 'a', message: { type: 'signal', payload: [1] } },
    { hear: 'a', message: { type: 'error' } },
    { say: 'a', message: { type: 'signal', name: 'go' } },
    { hear: 'a', message: { type: 'ack', for: 'signal', ok: false } },
  ]),
  caseOf('[W10] an approval is settled once', [
    begin('run', [{ approve: 'write', id: 'c1', args: { n: 1 }, reason: 'asks' }]),
    ...asked,
    { say: 'a', message: { type: 'approve', approvalId: '{approval}', decision: 'denied', reason: 'no' } },
    hears('approval_resolved', { decision: 'denied' }),
    approve('c-9'),
    refused('approve', 'c-9'),
    { answered: 'run', answer: ok },
  ]),
  caseOf('[W10] [S67] edited arguments that do not fit are refused, and the approval stays open', [
    begin('run', [{ approve: 'write', id: 'c1', args: { n: 1 }, takes: ['n'] }]),
    ...asked,
    approve('c-1', { args: { m: 1 } }),
    refused('approve', 'c-1', { message: { $match: '"write" do not fit: n: ' } }),
    approve('c-1', { args: { n: 2 } }),
    acked('approve', 'c-1'),
    { answered: 'run', answer: ok },
  ]),
  caseOf('[W28] [S72] a question is answered, and an answer that does not fit leaves it open', [
    begin('run', [{ ask: 'Which?', id: 'db', options: ['x', 'y'], default: 'x' }]),
    stream('asked', 'approval_requested', {
      last: {
        data: {
          data: {
            ...{ approvalId: { $save: 'approval' }, kind: 'question', default: { db: 'x' } },
            questions: [{ id: 'db', question: 'Which?', options: [{ label: 'x' }, { label: 'y' }] }],
          },
        },
      },
    }),
    ...replayed,
    approve('c-1', { answers: { db: 'z' } }),
    refused('approve', 'c-1', { message: { $match: '"z" is not an option' } }),
    approve('c-2', { answers: { db: 'y' } }),
    hears('approval_resolved', { decision: 'approved', answers: { db: 'y' } }),
    acked('approve', 'c-2'),
    { answered: 'run', answer: ok },
  ]),
  caseOn('scoped', '[W11] commands need their scopes', [
    {
      ask: { method: 'POST', path: `${invoke}?tenant=acme`, script: [{ text: 'x' }], headers: bearer('worker') },
      answer: ok,
    },
    ...greeted('a', `${socket}?token=reader&tenant=acme`, 'replay-end'),
    { say: 'a', message: { type: 'cancel', taskId: '{s}' } },
    { hear: 'a', message: { type: 'ack', for: 'cancel', ok: false } },
    { say: 'a', message: { type: 'signal', name: 'go' } },
    { hear: 'a', message: { type: 'ack', for: 'signal', ok: false, message: { $match: 'operate' } } },
  ]),
  caseOf('[W13] what makes no sense gets one error, and the socket stays', [
    ...opened,
    { say: 'a', raw: '{' },
    { hear: 'a', message: { type: 'error' } },
    { say: 'a', message: { type: 'dance' } },
    { hear: 'a', message: { type: 'error' } },
    { say: 'a', message: { type: 'approve' } },
    { hear: 'a', message: { type: 'error' } },
    { say: 'a', message: { type: 'ping', ts: 3 } },
    { hear: 'a', message: { type: 'pong', ts: 3 } },
    { say: 'a', message: { type: 'ping' } },
    { hear: 'a', message: { type: 'pong', ts: { $any: true } } },
    { heard: 'a', types: ['replay-end', 'error', 'error', 'error', 'pong', 'pong'] },
  ]),
  caseOn('beating', '[W14] the server says that it is there', [
    here,
    { open: 'a', path: socket },
    { hear: 'a', message: { type: 'pong', ts: { $any: true } } },
  ]),
  caseOn('beating', '[W14] who says nothing for too long is cut', [
    here,
    { open: 'a', path: socket },
    // A platform may close the connection of a silent client much later than its socket.
    { say: 'a', message: { type: 'pong' } },
    { closed: 'a', code: 4009 },
  ]),
  caseOf('[W15] a message that is too large closes the socket', [
    ...opened,
    { say: 'a', bytes: 9_000_000 },
    { closed: 'a', code: 1009 },
  ]),
  caseOf('[H22] removing a session closes its sockets with 4004', [
    ...opened,
    // Some runtimes close the socket of a silent client only after ten seconds.
    { say: 'a', message: { type: 'ping', ts: 5 } },
    { hear: 'a', message: { type: 'pong', ts: 5 } },
    remove(invoke, ok),
    { closed: 'a', code: 4004 },
  ]),
  caseOf('[W21] a client may send `seen` without a mark; a malformed one is an error like any other', [
    here,
    ...greeted('a', `${socket}?marks=1`, 'replay-end'),
    { say: 'a', message: { type: 'seen', seq: 9_007_199_254_740_991 } },
    { say: 'a', message: { type: 'seen', seq: 0 } },
    { say: 'a', message: { type: 'seen', seq: 'ev-1' } },
    { say: 'a', message: { type: 'seen', seq: 0.5 } },
    { say: 'a', message: { type: 'ping', ts: 5 } },
    { hear: 'a', message: { type: 'pong', ts: 5 } },
    { heard: 'a', types: ['replay-end', 'error', 'error', 'pong'] },
  ]),
]
