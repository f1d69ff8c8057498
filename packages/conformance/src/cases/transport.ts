import type { CaseStep, ConformanceCase, Pattern } from '../case.ts'
import {
  bearer,
  buyTicket,
  caseOf,
  caseOn,
  exchange,
  get,
  greeted,
  hear,
  ok,
  post,
  remove,
  script,
  shows,
  status,
} from './steps.ts'

const commands = (...list: object[]) => ({ type: 'commands', commands: list })
const submit = (commandId: string, ...steps: unknown[]) =>
  commands({ type: 'submit', prompt: script(...steps), commandId })
const firstTurn = (commandId: string, text: string): readonly CaseStep[] => [
  { say: 'a', message: submit(commandId, { text }) },
  { state: 'a', is: { status: 'idle', messages: { $length: 2 } } },
]
const approval = { type: 'approve', approvalId: '{approval}', decision: 'approved' }
const acked = (commandId: string, more: { readonly answer?: Pattern } = {}) =>
  hear('a', { type: 'ack', commandId, ok: true, ...more })
const refused = (commandId: string, code: string, more: { readonly message?: Pattern } = {}) =>
  hear('a', { type: 'ack', commandId, ok: false, code, ...more })
const ws = '/ws?sessionId={s}'

export const transportCases: readonly ConformanceCase[] = [
  caseOn('scoped', '[T1] which session it is, and who may open it', [
    { open: 'a', path: '/ws', refused: status(401) },
    { open: 'a', path: '/ws?token=worker', refused: status(400) },
    { open: 'a', path: '/ws?token=ann&userId=bob', refused: status(403) },
    ...greeted('a', '/ws?token=ann&userId=ann', 'state'),
    ...greeted('b', '/ws?token=worker&sessionId={s}&agent=nobody', 'error'),
    { closed: 'b', code: 4004 },
    { open: 'c', path: '/ws?token=ann&sessionId=user:bob' },
    { closed: 'c', code: 4004 },
    get('/ws?token=worker', status(426)),
  ]),
  caseOn('token', '[T1] a ticket for one session opens that one, and no other', [
    post('/tickets', { sessionId: '{s}' }, shows({ ticket: { $save: 'own' } }, 201), bearer('right')),
    ...greeted('a', `${ws}&ticket={own}`, 'state'),
    buyTicket('other', { sessionId: 'another' }),
    { open: 'b', path: `${ws}&ticket={other}` },
    { hear: 'b', message: { type: 'error', message: 'There is no session {s}.' } },
    { closed: 'b', code: 4004 },
  ]),
  caseOf('[T3] the state first, then deltas that make the next one', [
    { open: 'a', path: ws },
    { hear: 'a', message: { type: 'state', seq: 0, state: { status: 'idle', messages: [] } } },
    ...greeted('b', ws, 'state'),
    { say: 'a', message: submit('c-1', { text: 'Hello', chunks: 2 }, { tool: 'read', id: 'call', result: 1 }) },
    acked('c-1', { answer: { runId: { $any: true } } }),
    {
      state: 'a',
      is: {
        status: 'idle',
        messages: [
          { role: 'user', status: 'complete' },
          {
            role: 'assistant',
            content: 'Hello',
            status: 'complete',
            toolCalls: [{ id: 'call', name: 'read', status: 'complete' }],
          },
        ],
      },
    },
    { state: 'b', is: { status: 'idle', messages: { $length: 2 } } },
    { open: 'c', path: ws },
    { state: 'c', is: { status: 'idle', messages: { $length: 2 } } },
  ]),
  caseOf('[T4] a client that missed nothing gets an empty delta; a cursor beyond the log gets the state', [
    { open: 'a', path: ws },
    ...firstTurn('c-1', 'x'),
    { open: 'b', path: ws },
    { hear: 'b', message: { type: 'state', seq: { $save: 'seq' } } },
    { open: 'c', path: `${ws}&after={seq}` },
    { hear: 'c', message: { type: 'delta', operations: [] } },
    ...greeted('d', `${ws}&after=99999`, 'state'),
    { open: 'e', path: `${ws}&after=x`, refused: status(400) },
  ]),
  caseOf('[T21] a number of another incarnation gets the state', [
    { open: 'a', path: ws },
    ...firstTurn('c-1', 'x'),
    { open: 'b', path: ws },
    { hear: 'b', message: { type: 'state', seq: { $save: 'seq' } } },
    ...greeted('c', `${ws}&after={seq}~2`, 'state'),
  ]),
  caseOf('[T12] what makes no sense applies nothing, and the connection stays', [
    ...greeted('a', ws, 'state'),
    { say: 'a', raw: '{' },
    { hear: 'a', message: { type: 'error' } },
    { say: 'a', message: commands({ type: 'submit', prompt: 'x' }, { type: 'dance', commandId: 'c-1' }) },
    { hear: 'a', message: { type: 'error' } },
    { say: 'a', message: commands({ type: 'cancel', commandId: 'c-2' }) },
    acked('c-2', { answer: { cancelled: false } }),
    { say: 'a', message: commands({ type: 'submit', prompt: '' }) },
    { hear: 'a', message: { type: 'error' } },
    { heard: 'a', types: ['state', 'error', 'error', 'ack', 'error'] },
  ]),
  caseOf('[T30] unknown fields of a message and of its commands are ignored', [
    ...greeted('a', ws, 'state'),
    {
      say: 'a',
      message: {
        type: 'commands',
        sentBy: 'x',
        commands: [{ type: 'cancel', commandId: 'c-1', mood: { calm: true } }],
      },
    },
    acked('c-1', { answer: { cancelled: false } }),
    { heard: 'a', types: ['state', 'ack'] },
  ]),
  caseOf('[T26] a signal is refused where no run takes signals', [
    { open: 'a', path: ws },
    ...firstTurn('c-0', 'a'),
    { say: 'a', message: commands({ type: 'signal', name: 'go', payload: 1, commandId: 'c-1' }) },
    refused('c-1', 'not_waiting'),
    { say: 'a', message: commands({ type: 'signal', name: 'a b', commandId: 'c-2' }) },
    { hear: 'a', message: { type: 'error', commandId: 'c-2' } },
    { say: 'a', message: commands({ type: 'signal', name: 'go' }) },
    { hear: 'a', message: { type: 'error' } },
  ]),
  caseOf('[T14] one command id is one effect, on whichever connection', [
    { open: 'a', path: ws },
    { say: 'a', message: submit('same', { text: 'once' }) },
    acked('same', { answer: { runId: { $save: 'run' } } }),
    { state: 'a', is: { status: 'idle', messages: { $length: 2 } } },
    { open: 'b', path: ws },
    { say: 'b', message: submit('same', { text: 'once' }) },
    { hear: 'b', message: { type: 'ack', commandId: 'same', ok: true, answer: { runId: '{run}' } } },
    { say: 'b', message: submit('same', { text: 'another' }) },
    { hear: 'b', message: { type: 'ack', commandId: 'same', ok: false, code: 'command_conflict' } },
    { state: 'b', is: { messages: { $length: 2 } } },
  ]),
  caseOf('[T13] [S67] edited arguments that do not fit are refused, and the approval stays open', [
    { open: 'a', path: ws },
    { say: 'a', message: submit('c-1', { approve: 'write', id: 'c1', args: { n: 1 }, takes: ['n'] }) },
    acked('c-1'),
    { state: 'a', is: { approvals: [{ id: { $save: 'approval' } }] } },
    {
      say: 'a',
      message: commands(
        { ...approval, args: { m: 1 }, commandId: 'c-2' },
        { ...approval, args: { n: 2 }, commandId: 'c-3' },
      ),
    },
    refused('c-2', 'arguments_invalid', { message: { $match: '"write" do not fit: n: ' } }),
    acked('c-3'),
    { state: 'a', is: { status: 'idle' } },
  ]),
  caseOf('[T33] [S72] a question is answered, and an answer that does not fit leaves it open', [
    { open: 'a', path: ws },
    { say: 'a', message: submit('c-1', { ask: 'Which?', id: 'db', options: ['x', 'y'] }, { text: 'done' }) },
    acked('c-1'),
    {
      state: 'a',
      is: {
        approvals: [
          {
            ...{ id: { $save: 'approval' }, kind: 'question', toolCallId: 'db' },
            questions: [{ id: 'db', question: 'Which?', options: [{ label: 'x' }, { label: 'y' }] }],
          },
        ],
      },
    },
    {
      say: 'a',
      message: commands(
        { ...approval, answers: { db: 'z' }, commandId: 'c-2' },
        { ...approval, answers: { db: 'y' }, commandId: 'c-3' },
      ),
    },
    refused('c-2', 'invalid_answer', { message: { $match: '"z" is not an option of question "db"' } }),
    acked('c-3'),
    {
      state: 'a',
      is: {
        status: 'idle',
        messages: [
          { role: 'user' },
          { toolCalls: [{ id: 'db', status: 'complete', approval: { status: 'approved', answers: { db: 'y' } } }] },
        ],
      },
    },
  ]),
  caseOn('scoped', '[T15] commands need their scopes', [
    { open: 'a', path: `${ws}&token=reader` },
    { say: 'a', message: submit('c-1', { text: 'x' }) },
    refused('c-1', 'forbidden'),
  ]),
  caseOf('[T16] a branch continues on its own, and leaves its parent unchanged', [
    { open: 'a', path: ws },
    ...firstTurn('c-1', 'root'),
    { say: 'a', message: commands({ type: 'branch', commandId: 'b-1' }) },
    acked('b-1', { answer: { sessionId: { $save: 'child' } } }),
    { open: 'b', path: '/ws?sessionId={child}' },
    { hear: 'b', message: { type: 'state', state: { messages: { $length: 2 } } } },
    { say: 'b', message: submit('c-2', { text: 'leaf' }) },
    { state: 'b', is: { status: 'idle', messages: { $length: 4 } } },
    { state: 'a', is: { messages: { $length: 2 } } },
    exchange(
      { method: 'POST', path: '/agents/scripted/{child}', script: [{ text: 'more' }] },
      shows({ result: 'more' }),
    ),
    get('/sessions/{child}', shows({ messages: { $length: 6 } })),
    get('/sessions/{s}', shows({ messages: { $length: 2 } })),
  ]),
  caseOf('[T17] a ping is answered', [
    { open: 'a', path: ws },
    { say: 'a', message: { type: 'ping', ts: 5 } },
    { hear: 'a', message: { type: 'pong', ts: 5 } },
    { say: 'a', message: { type: 'ping' } },
    { hear: 'a', message: { type: 'pong', ts: { $any: true } } },
  ]),
  caseOf('[T18] removed while it is watched', [
    { open: 'a', path: ws },
    ...firstTurn('c-1', 'x'),
    remove('/agents/scripted/{s}', ok),
    { closed: 'a', code: 4004 },
  ]),
  caseOf('[T32] the outcome of a call travels whole: its status, its time, and its exit code', [
    { open: 'a', path: ws },
    {
      say: 'a',
      message: submit('c-1', {
        tool: 'shell',
        id: 'call',
        outcome: 'error',
        ms: 5,
        result: { exit_code: 2, output: '' },
      }),
    },
    {
      state: 'a',
      is: {
        status: 'idle',
        messages: [
          { role: 'user' },
          {
            role: 'assistant',
            toolCalls: [
              {
                id: 'call',
                status: 'error',
                outcome: 'error',
                toolOutcome: { status: 'error', elapsed_ms: 5, exit_code: 2 },
              },
            ],
          },
        ],
      },
    },
  ]),
  caseOf('[T19] a client may send `seen` without a mark; a malformed one is an error like any other', [
    ...greeted('a', `${ws}&marks=1`, 'state'),
    { say: 'a', message: { type: 'seen', seq: 0 } },
    { say: 'a', message: { type: 'seen', seq: 9_007_199_254_740_991 } },
    { say: 'a', message: { type: 'seen', seq: 3 } },
    { say: 'a', message: { type: 'seen', seq: -1 } },
    { say: 'a', message: { type: 'seen' } },
    { say: 'a', message: { type: 'ping', ts: 5 } },
    { hear: 'a', message: { type: 'pong', ts: 5 } },
    { heard: 'a', types: ['state', 'error', 'error', 'pong'] },
    { open: 'b', path: ws },
    { say: 'b', message: { type: 'seen', seq: 1 } },
    { say: 'b', message: submit('c-1', { text: 'x' }) },
    { state: 'b', is: { status: 'idle', messages: { $length: 2 } } },
    { state: 'a', is: { status: 'idle', messages: { $length: 2 } } },
  ]),
]
