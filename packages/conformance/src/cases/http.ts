import type { AnswerPattern, ConformanceCase } from '../case.ts'
import {
  bearer,
  begin,
  buyTicket,
  caseOf,
  caseOn,
  exchange,
  get,
  invoke,
  ok,
  post,
  refusal,
  remove,
  run,
  say,
  script,
  shows,
  status,
  stream,
} from './steps.ts'

const unauthorized = shows({ error: { type: 'unauthorized', message: { $any: true } } }, 401)
const forbidden = shows({ error: { type: 'forbidden', message: { $any: true } } }, 403)
const missing = (message: string) => shows({ error: 'Not found', message }, 404)
const notFound = missing('There is no session {s}.')
const notFoundOfAgent = missing('There is no session {s} of the agent scripted.')
/** A proxy may add a prefix to the route. */
const missingPart = (words: string) =>
  shows({ error: 'Not found', message: { $match: `^There is no ${words}\\.$` } }, 404)
const noApproval = missingPart('approval apr-1 in this session; GET \\S*/approvals lists those that wait')
const noProposal = missingPart('proposal art-1 in this session; GET \\S*/memory lists them')
const noArtifact = missingPart('artifact nothing in this session; GET \\S*/artifacts lists them')
const noSuchPath = shows({ error: 'Not found', message: { $match: 'GET .*/docs' } }, 404)
const noSuchAgent = shows(
  { error: 'Not found', message: { $match: '^There is no agent nobody; there (is|are) .*scripted' } },
  404,
)
const bad = shows({ error: { $match: '.' } }, 400)
const approval = '/sessions/{s}/approvals/{approval}'
const asks = (...steps: unknown[]) => [
  begin('run', steps),
  stream('asked', 'approval_requested', { last: { data: { data: { approvalId: { $save: 'approval' } } } } }),
]
const attach = (text: string, ref_id: string, answer: AnswerPattern, path = invoke) =>
  exchange({ method: 'POST', path, script: say(text), body: { attachments: [{ ref_id }] } }, answer)
const question = { ask: 'Which database?', id: 'db', options: ['SQLite', 'PostgreSQL'] }
const questionShown = {
  kind: 'question',
  questions: [{ id: 'db', question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }],
}
/** Background work started by the session of the case, which asks a question. */
const askingChild = {
  ...{ engine: 'scripted', session_id: '{s}-child', parent_session_id: '{s}' },
  prompt: script(question, { text: 'done' }),
}
const portForm = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] }
const invalidAnswer = (words: string) => shows({ error: { type: 'invalid_answer', message: { $match: words } } }, 400)
const approveOnce = { 'idempotency-key': 'approve-1' }

export const httpCases: readonly ConformanceCase[] = [
  caseOf('[H1] answers with the result when the run has ended', [
    run(
      [{ text: 'Hello there', chunks: 3 }],
      shows({ result: 'Hello there', sessionId: '{s}', agentPath: '/agents/scripted/{s}' }),
    ),
  ]),
  caseOf('[H1] prompts of one session are answered one after the other', [
    begin('first', [{ sleepMs: 40 }, { text: 'one' }]),
    stream('waits', 'prompt_start'),
    run(say('two'), shows({ result: 'two' })),
    { answered: 'first', answer: shows({ result: 'one' }) },
  ]),
  caseOf('[H2] a failed run is a 500 with its message', [
    run(
      [{ text: 'so far' }, { fail: 'it broke' }],
      shows({ error: { type: 'internal_error', message: 'it broke' } }, 500),
    ),
  ]),
  caseOf('[H2] a cancelled run is a conflict', [
    begin('run', [{ text: 'a' }, { sleepMs: 30_000 }]),
    stream('at-work', 'text_delta'),
    post('/sessions/{s}/cancel', { reason: 'enough' }, shows({ cancelled: true, runId: { $save: 'run' } })),
    { answered: 'run', answer: refusal(409, 'conflict') },
    get('/sessions/{s}/runs/{run}', shows({ runId: '{run}', status: 'cancelled' })),
    post('/sessions/{s}/cancel', { runId: '{run}' }, shows({ cancelled: false })),
  ]),
  caseOf('[H3] one key is one run and one answer; another body is a conflict', [
    run(say('once'), shows({ result: 'once' }), { 'idempotency-key': 'k-1' }),
    run(say('once'), shows({ result: 'once' }), { 'idempotency-key': 'k-1' }),
    run(say('other'), refusal(409, 'conflict'), { 'idempotency-key': 'k-1' }),
    stream('all', 'idle', { types: ['prompt_start', 'text_delta', 'result', 'idle'] }),
    run(say('x'), bad, { 'idempotency-key': 'a b' }),
  ]),
  caseOf('[H11] [H155] what is not there, and what makes no sense', [
    get('/nowhere', noSuchPath),
    get('/sessions/{s}', notFound),
    get('/sessions/{s}/events', notFound),
    get('/sessions/{s}/artifacts', notFound),
    get('/sessions/{s}/runs/r-1', notFound),
    post('/sessions/{s}/cancel', {}, notFound),
    post('/sessions/{s}/signal', { name: 'go' }, notFound),
    post('/sessions/{s}/approvals/apr-1/approve', {}, notFound),
    get(invoke, notFoundOfAgent),
    remove(invoke, notFoundOfAgent),
    exchange({ method: 'POST', path: '/agents/nobody/{s}', script: say('x') }, noSuchAgent),
    get('/agents/nobody/{s}/stream', noSuchAgent),
    exchange({ method: 'POST', path: '/agents/scripted/a%2Fb', script: say('x') }, bad),
    exchange({ method: 'POST', path: invoke, raw: '{' }, bad),
    exchange({ method: 'POST', path: invoke, raw: '[]' }, bad),
    post(invoke, {}, bad),
    post(invoke, { prompt: '' }, bad),
    get('/sessions?limit=x', bad),
    get('/sessions?cursor=x', bad),
    get('/sessions?status=nope', bad),
    get('/sessions?flag=nope', bad),
    get('/approvals?cursor=x', bad),
    get('/approvals?status=done', bad),
    get(`${invoke}/stream?after=x`, bad),
    get(`${invoke}/stream?replay=x`, bad),
  ]),
  caseOf('[H11] [H155] an unknown session is reported before other problems, and a part of a session by its own name', [
    exchange({ method: 'POST', path: '/sessions/{s}/cancel', raw: '{' }, notFound),
    get('/sessions/{s}/events?after=x', notFound),
    run(say('x'), ok),
    exchange({ method: 'POST', path: '/sessions/{s}/cancel', raw: '{' }, bad),
    get('/sessions/{s}/events?after=x', bad),
    get('/sessions/{s}/runs/r-999', missing('There is no run r-999 in this session.')),
    post('/sessions/{s}/approvals/apr-1/approve', {}, noApproval),
    post('/sessions/{s}/approvals/apr-1/reject', {}, noApproval),
    post('/sessions/{s}/approvals/apr-1/maybe', {}, bad),
    get('/sessions/{s}/artifacts/nothing', noArtifact),
  ]),
  caseOf('[H58] a signal needs a name, and a run that takes signals', [
    begin('run', [{ text: 'a' }, { sleepMs: 30_000 }]),
    stream('at-work', 'text_delta'),
    post('/sessions/{s}/signal', {}, bad),
    post('/sessions/{s}/signal', { name: 'a b' }, bad),
    post(
      '/sessions/{s}/signal',
      { name: 'go', payload: { n: 1 } },
      shows({ error: { type: 'conflict', message: { $any: true } } }, 409),
    ),
    post('/sessions/{s}/cancel', {}, ok),
    { answered: 'run', answer: status(409) },
    post('/sessions/{s}/signal', { name: 'go' }, status(409)),
  ]),
  caseOn('scoped', '[H58] a signal needs the scope operate', [
    run(say('x'), ok, bearer('worker')),
    post('/sessions/{s}/signal', { name: 'go' }, forbidden, bearer('reader')),
    post('/sessions/{s}/signal', { name: 'go' }, status(409), bearer('worker')),
  ]),
  caseOf('[H70] [H71] [H72] a proposal for the memory is accepted or rejected, once', [
    run(
      [
        { artifact: { name: 'lesson', content: 'Ask first.', kind: 'memory_proposal' } },
        { artifact: { name: 'rumour', content: 'Never ask.', kind: 'memory_proposal' } },
      ],
      ok,
    ),
    get(
      '/sessions/{s}/memory',
      shows({
        memory: [],
        proposals: [
          { id: { $save: 'rumour' }, key: 'rumour', status: 'pending', decidedAt: null },
          { id: { $save: 'lesson' }, key: 'lesson', status: 'pending', runId: { $save: 'run' } },
        ],
      }),
    ),
    post(
      '/sessions/{s}/memory/{lesson}',
      { decision: 'accept', actor: 'ann' },
      shows({ ok: true, proposalId: '{lesson}', decision: 'accepted', key: 'lesson' }),
    ),
    post('/sessions/{s}/memory/{lesson}', { decision: 'accept', actor: 'ann' }, shows({ decision: 'accepted' })),
    post('/sessions/{s}/memory/{lesson}', { decision: 'reject' }, refusal(409, 'conflict')),
    post('/sessions/{s}/memory/{rumour}', { decision: 'reject', reason: 'untrue' }, shows({ decision: 'rejected' })),
    post('/sessions/{s}/memory/{rumour}', { decision: 'maybe' }, bad),
    post('/sessions/{s}/memory/art-1', { decision: 'accept' }, noProposal),
    get('/sessions/{s}-other/memory', missing('There is no session {s}-other.')),
    get(
      '/sessions/{s}/memory',
      shows({
        memory: [{ key: 'lesson', value: 'Ask first.', proposalId: '{lesson}', runId: '{run}', acceptedBy: 'ann' }],
        proposals: [{ status: 'rejected', decisionReason: 'untrue' }, { status: 'accepted' }],
      }),
    ),
    stream('told', 'memory_decided', {
      path: '/sessions/{s}/events/stream?tier=default&replay=all',
      last: { data: { payload: { proposal_id: '{lesson}', decision: 'accepted', key: 'lesson', actor: 'ann' } } },
    }),
  ]),
  caseOn('scoped', '[H72] a decision about the memory needs the scope operate', [
    run(say('x'), ok, bearer('worker')),
    post('/sessions/{s}/memory/art-1', { decision: 'accept' }, forbidden, bearer('reader')),
    post('/sessions/{s}/memory/art-1', { decision: 'accept' }, noProposal, bearer('worker')),
  ]),
  caseOn('small', '[H12] a body that is too large', [
    exchange({ method: 'POST', path: invoke, bytes: 5_000 }, refusal(413, 'body_too_large')),
    run(say('fits'), ok),
  ]),
  caseOf('[H12] a key twice in one object', [
    exchange({ method: 'POST', path: invoke, raw: '{"prompt":"a","prompt":"b"}' }, bad),
    exchange({ method: 'POST', path: '/chat/sessions', raw: '{"title":"a","\\u0074itle":"b"}' }, bad),
  ]),
  caseOf('[H34] . and .. are no ids', [
    post('/chat/sessions', { session_id: '..' }, bad),
    post('/sessions', { session_id: '.', agent: 'scripted', prompt: 'x' }, bad),
    get('/sessions?tenant=..', bad),
    post('/tickets', { sessionId: '.' }, bad),
  ]),
  {
    name: '[H36] what a page of another site embeds',
    isOpenOnly: true,
    steps: [
      get('/sessions', refusal(403, 'forbidden'), { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }),
      get(
        '/sessions',
        { status: 200, headers: { 'cross-origin-resource-policy': 'same-origin' } },
        { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' },
      ),
    ],
  },
  caseOf('[H13] [H155] another tenant’s session answers like none', [
    run(say('mine'), ok, { 'x-fabric-tenant': 'acme' }),
    get('/sessions/{s}', ok, { 'x-fabric-tenant': 'acme' }),
    get('/sessions/{s}?tenant=acme', ok),
    get('/sessions/{s}', notFound),
    get('/sessions/{s}', notFound, { 'x-fabric-tenant': 'other' }),
    remove(invoke, notFoundOfAgent),
    get(invoke, notFoundOfAgent),
    get('/sessions?search={s}', shows({ sessions: [] })),
    get('/sessions?tenant=a%2Fb', bad),
  ]),
  caseOn('tenants', '[H13] a tenant may be required', [
    get('/sessions', bad),
    get('/sessions', ok, { 'x-fabric-tenant': 'acme' }),
    get('/sessions?tenant=acme', ok),
  ]),
  caseOn('token', '[H14] a token', [
    get('/health', shows({ ok: true })),
    get('/ready', shows({ ready: true, agents: { $absent: true } })),
    get('/sessions', unauthorized),
    get('/sessions', unauthorized, bearer('wrong')),
    get('/sessions', unauthorized, { authorization: 'Basic right' }),
    get('/sessions/{s}', unauthorized),
    run(say('x'), unauthorized),
    get('/sessions', ok, bearer('right')),
    get('/sessions?token=right', ok),
    get('/ready', shows({ agents: { $any: true } }), bearer('right')),
    run(say('x'), ok, bearer('right')),
  ]),
  caseOn('token', '[H14] pages of other origins', [
    get('/sessions', refusal(403, 'forbidden'), { ...bearer('right'), origin: 'https://evil.example' }),
    get(
      '/sessions',
      { status: 200, headers: { 'access-control-allow-origin': 'http://localhost:5173' } },
      { ...bearer('right'), origin: 'http://localhost:5173' },
    ),
    get(
      '/sessions/{s}',
      {
        status: 404,
        headers: { 'access-control-allow-origin': 'http://localhost:5173', vary: { $match: 'Origin' } },
      },
      { ...bearer('right'), origin: 'http://localhost:5173' },
    ),
    exchange(
      { method: 'OPTIONS', path: '/sessions', headers: { origin: 'http://localhost:5173' } },
      { status: 204, headers: { 'access-control-allow-origin': 'http://localhost:5173' } },
    ),
  ]),
  caseOn('scoped', '[H13] a token can do no more than its tenants, scopes and user say', [
    get('/sessions', ok, bearer('reader')),
    get('/sessions?tenant=umbrella', ok, bearer('reader')),
    get('/sessions?tenant=other', refusal(403, 'forbidden'), bearer('reader')),
    run(say('x'), refusal(403, 'forbidden'), bearer('reader')),
    run(say('x'), ok, bearer('worker')),
    post('/sessions/{s}/approvals/apr-1/approve', {}, status(403), bearer('worker')),
    exchange({ method: 'POST', path: '/agents/scripted/user:bob', script: say('x'), headers: bearer('worker') }, ok),
    get('/sessions/user:bob', missing('There is no session user:bob.'), bearer('ann')),
    get('/agents/scripted/user:bob', missing('There is no session user:bob of the agent scripted.'), bearer('ann')),
  ]),
  caseOn('scoped', '[H32] a user is shown what that user may open', [
    exchange({ method: 'POST', path: '/agents/scripted/user:cy', script: say('x'), headers: bearer('worker') }, ok),
    post('/chat/sessions/user:cy/branch', { from_event_id: 'ev-2', session_id: '{s}' }, status(201), bearer('worker')),
    get('/sessions/{s}', ok, bearer('worker')),
    get('/sessions/{s}', notFound, bearer('ann')),
    get('/sessions?search={s}', shows({ sessions: [] }), bearer('ann')),
    get('/sessions?search=user:cy', shows({ sessions: [] }), bearer('ann')),
    get('/sessions?parent=user:cy', shows({ sessions: [{ id: '{s}' }] }), bearer('worker')),
    get('/metrics', refusal(403, 'forbidden'), bearer('ann')),
  ]),
  caseOn('limited', '[H17] too many requests', [
    get('/health', ok),
    get('/sessions', ok),
    get('/sessions/{s}', notFound),
    get(invoke, notFoundOfAgent),
    get('/sessions', {
      status: 429,
      body: { error: { type: 'rate_limited' } },
      headers: { 'retry-after': { $match: '^[0-9]+$' } },
    }),
    get('/health', ok),
  ]),
  caseOn('token', '[H18] a ticket is good for one use, and for what it names', [
    run(say('x'), ok, bearer('right')),
    post('/tickets', {}, shows({ ticket: { $save: 'one' }, expiresAt: { $match: '^2' } }, 201), bearer('right')),
    get('/sessions/{s}?ticket={one}', ok),
    get('/sessions/{s}?ticket={one}', unauthorized),
    get('/sessions/{s}?ticket={one}x', unauthorized),
    get('/sessions/{s}?ticket=nothing', unauthorized),
    buyTicket('two', { sessionId: 'another' }),
    get('/sessions/{s}?ticket={two}', notFound),
    buyTicket('three', { scopes: ['observe'] }),
    post('/sessions/{s}/cancel?ticket={three}', {}, status(403)),
  ]),
  caseOn('token', '[H29] a ticket buys no ticket', [
    buyTicket('any'),
    post('/tickets?ticket={any}', {}, forbidden),
    post('/tickets?ticket={any}', {}, unauthorized),
    post('/tickets', { sessionId: '{s}' }, shows({ ticket: { $save: 'one' } }, 201), bearer('right')),
    post('/tickets?ticket={one}', { sessionId: '{s}' }, forbidden),
  ]),
  caseOn('token', '[H30] a ticket stays with its tenant, and with the page that bought it', [
    exchange({ method: 'POST', path: `${invoke}?tenant=acme`, script: say('x'), headers: bearer('right') }, ok),
    post('/tickets?tenant=acme', {}, shows({ ticket: { $save: 'one' } }, 201), bearer('right')),
    get('/sessions/{s}?ticket={one}', ok),
    buyTicket('two'),
    get('/sessions/{s}?ticket={two}&tenant=acme', notFound),
    post('/tickets', {}, shows({ ticket: { $save: 'page' } }, 201), {
      ...bearer('right'),
      origin: 'http://localhost:5173',
    }),
    get('/sessions?ticket={page}', unauthorized, { origin: 'http://localhost:5174' }),
  ]),
  caseOf('[H19] every answer has a correlation id, the caller’s own where it is one', [
    get('/sessions/{s}', { status: 404, headers: { 'x-correlation-id': 'mine-1' } }, { 'x-correlation-id': 'mine-1' }),
    run(say('x'), { status: 200, headers: { 'x-correlation-id': 'mine-2' } }, { 'x-correlation-id': 'mine-2' }),
    get('/health', { status: 200, headers: { 'x-correlation-id': { $match: '.' } } }),
  ]),
  caseOf('[H20] lists: newest change first, filtered, in pages', [
    exchange({ method: 'POST', path: '/agents/scripted/{s}.a', script: say('x') }, ok),
    exchange({ method: 'POST', path: '/agents/scripted/{s}.b', script: [{ fail: 'no' }] }, status(500)),
    get(
      '/sessions?search={s}',
      shows({ sessions: [{ id: '{s}.b' }, { id: '{s}.a', status: 'idle', session_id: '{s}.a' }] }),
    ),
    get('/sessions?search={s}&limit=1', shows({ sessions: [{ id: '{s}.b' }], next: { $save: 'next' } })),
    get('/sessions?search={s}&limit=1&cursor={next}', shows({ sessions: [{ id: '{s}.a' }] })),
    get('/sessions?search={s}&kind=background', shows({ sessions: [] })),
  ]),
  caseOf('[H80] [H81] an archived session leaves the list, and a prompt takes it out again', [
    run(say('x'), ok),
    post('/sessions/{s}/archive', {}, shows({ id: '{s}', archived: true })),
    get('/sessions?search={s}', shows({ sessions: [] })),
    get('/sessions?search={s}&archived=true', shows({ sessions: [{ id: '{s}', archived: true }] })),
    run(say('y'), ok),
    get('/sessions?search={s}', shows({ sessions: [{ id: '{s}', archived: false }] })),
  ]),
  caseOf('[H132] a title that a person gives replaces the beginning of the prompt', [
    run(say('x'), ok),
    exchange(
      { method: 'PATCH', path: '/sessions/{s}', body: { title: ' Plans of {s} ' } },
      shows({ id: '{s}', title: 'Plans of {s}' }),
    ),
    run(say('y'), ok),
    get('/sessions?search=plans%20of%20{s}', shows({ sessions: [{ id: '{s}', title: 'Plans of {s}' }] })),
    exchange({ method: 'PATCH', path: '/sessions/{s}', body: { title: ' ' } }, status(400)),
    exchange({ method: 'PATCH', path: '/sessions/{s}.none', body: { title: 'x' } }, status(404)),
    post('/sessions', { agent: 'scripted', prompt: 'x', title: ' ' }, status(400)),
    post('/chat/sessions', { agent: 'scripted', title: 'x'.repeat(201) }, status(400)),
    post('/chat/sessions/{s}/branch', { from_event_id: 'ev-1', title: '' }, status(400)),
    post('/sessions/{s}/replay', { title: ' ' }, status(400)),
  ]),
  caseOf('[H74] [H75] the caller and the agents', [
    get('/me', shows({ tenant: { $match: '.' }, scopes: { $any: true } })),
    get('/agents', shows({ agents: { $any: true } })),
  ]),
  caseOf('[H20] a long text is cut in a list, and whole in its session', [
    run([{ fail: 'x'.repeat(3_000) }], status(500)),
    get('/sessions?search={s}', shows({ sessions: [{ id: '{s}', last_error: { $match: '^x{2000}$' } }] })),
    get('/sessions/{s}', shows({ last_error: { $match: '^x{3000}$' } })),
  ]),
  caseOf('[H21] the timeline has entries, events, artifacts and approvals', [
    run(
      [
        { tool: 'read', id: 'c1', args: { p: 1 }, result: 42 },
        { artifact: { name: 'a.txt', content: 'text' } },
        { text: 'done' },
      ],
      shows({ result: 'done' }),
    ),
    get(
      invoke,
      shows({
        id: '{s}',
        entries: { $any: true },
        artifacts: [{ name: 'a.txt', id: { $save: 'artifact' } }],
        approvals: [],
      }),
    ),
    get('/sessions/{s}/artifacts', shows({ artifacts: [{ id: '{artifact}', size: 4 }] })),
    get('/sessions/{s}/artifacts/{artifact}', {
      status: 200,
      text: 'text',
      headers: { 'content-security-policy': 'sandbox', 'content-length': '4' },
    }),
    get(
      '/sessions/{s}/artifacts/a.txt',
      { status: 206, text: 'ex', headers: { 'content-range': 'bytes 1-2/4' } },
      { range: 'bytes=1-2' },
    ),
    get(
      '/sessions/{s}/artifacts/a.txt',
      { status: 416, headers: { 'content-range': 'bytes */4' } },
      { range: 'bytes=9-' },
    ),
  ]),
  caseOf('[H22] a removed session is gone; its id continues its numbers', [
    run(say('old'), ok),
    stream('old', 'idle', { last: { id: { $save: 'last' } } }),
    remove(invoke, shows({ deleted: true, sessionId: '{s}' })),
    get('/sessions/{s}', notFound),
    remove(invoke, notFoundOfAgent),
    get('/sessions?search={s}', shows({ sessions: [] })),
    run(say('new'), ok),
    {
      stream: 'new',
      ask: { path: `${invoke}/stream`, headers: { 'last-event-id': '{last}' } },
      until: 'idle',
      types: ['reset', 'prompt_start', 'text_delta', 'result', 'idle'],
    },
    get('/sessions/{s}', shows({ messages: { $length: 2 } })),
  ]),
  caseOf('[H23] respond-async answers at once, and says where to look', [
    run(
      [{ sleepMs: 50 }, { text: 'later' }],
      {
        status: 202,
        body: { status: 'accepted', runId: { $save: 'run' } },
        headers: { location: { $match: '^/sessions/' } },
      },
      { prefer: 'respond-async' },
    ),
    stream('done', 'idle'),
    get('/sessions/{s}/runs/{run}', shows({ runId: '{run}', status: 'completed', result: 'later' })),
  ]),
  caseOf('[H21] [H43] an approval is answered once: the first answer counts', [
    begin('run', [{ approve: 'write', id: 'c1', args: { n: 1 }, reason: 'asks' }, { text: 'done' }]),
    stream('asked', 'approval_requested', {
      last: { data: { data: { approvalId: { $save: 'approval' }, args: { n: 1 } } } },
    }),
    get('/sessions/{s}', shows({ status: 'awaiting_approval', approvals: [{ id: '{approval}' }] })),
    post(`${approval}/approve`, { args: { n: 2 } }, shows({ ok: true }), approveOnce),
    { answered: 'run', answer: shows({ result: 'done' }) },
    stream('resolved', 'approval_resolved', {
      last: { data: { data: { approvalId: '{approval}', decision: 'approved', args: { n: 2 } } } },
    }),
    post(`${approval}/approve`, { args: { n: 2 } }, ok),
    post(`${approval}/approve`, { args: { n: 2 } }, shows({ ok: true }), approveOnce),
    post(`${approval}/approve`, { args: { n: 2 }, reason: 'other' }, refusal(409, 'conflict'), approveOnce),
    post(`${approval}/reject`, {}, refusal(409, 'conflict')),
  ]),
  caseOf('[S67] edited arguments that do not fit are refused, and the approval stays open', [
    ...asks({ approve: 'write', id: 'c1', args: { path: 'a' }, takes: ['path'] }, { text: 'done' }),
    post(
      `${approval}/approve`,
      { args: { paht: 'b' } },
      shows({ error: { $match: '"write" do not fit: path: ' } }, 400),
      approveOnce,
    ),
    get('/sessions/{s}', shows({ status: 'awaiting_approval', approvals: [{ id: '{approval}' }] })),
    post(`${approval}/approve`, { args: { path: 'b' } }, shows({ ok: true }), approveOnce),
    { answered: 'run', answer: shows({ result: 'done' }) },
  ]),
  caseOf('[H197] [H198] [H199] [S72] a question is answered once, with an answer that fits', [
    ...asks({ ...question, default: 'SQLite' }, { text: 'done' }),
    get('/sessions/{s}', shows({ status: 'awaiting_approval', approvals: [{ id: '{approval}', ...questionShown }] })),
    post(
      `${approval}/answer`,
      { answers: { db: 'Oracle' } },
      invalidAnswer('"Oracle" is not an option of question "db"'),
    ),
    post(`${approval}/answer`, { answers: { x: 'SQLite' } }, invalidAnswer('no question "x"')),
    post(`${approval}/answer`, { answers: { db: ['SQLite', 'PostgreSQL'] } }, invalidAnswer('"db" takes one answer')),
    post(`${approval}/answer`, {}, bad),
    get('/sessions/{s}', shows({ status: 'awaiting_approval', approvals: [{ id: '{approval}' }] })),
    post(`${approval}/answer`, { answers: { db: 'PostgreSQL' } }, shows({ decision: 'approved' }), approveOnce),
    { answered: 'run', answer: shows({ result: 'done' }) },
    post(`${approval}/answer`, { answers: { db: 'PostgreSQL' } }, shows({ ok: true }), approveOnce),
    post(`${approval}/answer`, { answers: { db: 'PostgreSQL' } }, shows({ ok: true })),
    post(`${approval}/answer`, { answers: { db: 'SQLite' } }, refusal(409, 'conflict')),
    post(`${approval}/approve`, {}, refusal(409, 'conflict')),
    get(invoke, shows({ approvals: [{ status: 'approved', answers: { db: 'PostgreSQL' } }] })),
  ]),
  caseOf('[H200] [H201] [S76] [S77] a session names what its child asks, and takes the answer', [
    run(say('hello'), ok),
    post('/sessions', askingChild, shows({ session_id: '{s}-child' }, 202)),
    stream('named', 'approval_requested', {
      last: {
        data: {
          data: {
            ...{ approvalId: { $save: 'named' }, ...questionShown },
            child: { id: '{s}-child', agent: 'scripted', approvalId: { $save: 'approval' } },
          },
        },
      },
    }),
    get(
      '/sessions/{s}',
      shows({ status: 'idle', approvals: [{ id: '{named}', ...questionShown, child: { id: '{s}-child' } }] }),
    ),
    get('/sessions/{s}-child', shows({ status: 'awaiting_approval', approvals: [{ id: '{approval}' }] })),
    post('/sessions/{s}/approvals/{named}/answer', { answers: { db: 'Oracle' } }, invalidAnswer('"Oracle"')),
    post(
      '/sessions/{s}/approvals/{named}/answer',
      { answers: { db: 'PostgreSQL' } },
      shows({ approvalId: '{named}', decision: 'approved' }),
    ),
    get('/sessions/{s}', shows({ approvals: { $length: 0 } })),
    post('/sessions/{s}-child/approvals/{approval}/reject', {}, refusal(409, 'conflict')),
    stream('ended', 'idle', { path: '/agents/scripted/{s}-child/stream' }),
    get('/sessions/{s}-child', shows({ status: 'completed', approvals: { $length: 0 } })),
  ]),
  caseOf('[S82] a branch has no open question, its own or of a child: those stay with its parent', [
    ...asks(question, { text: 'done' }),
    get('/sessions/{s}', shows({ lastEventId: { $save: 'head' } })),
    post('/chat/sessions/{s}/branch', { from_event_id: '{head}', session_id: '{s}-branch' }, status(201)),
    get('/sessions/{s}-branch', shows({ status: 'idle', approvals: { $length: 0 } })),
    post('/sessions/{s}-branch/approvals/{approval}/answer', { answers: { db: 'SQLite' } }, status(404)),
    post(`${approval}/answer`, { answers: { db: 'SQLite' } }, shows({ decision: 'approved' })),
    { answered: 'run', answer: shows({ result: 'done' }) },
    post('/sessions', askingChild, status(202)),
    {
      stream: 'named',
      ask: { path: `${invoke}/stream`, headers: { 'last-event-id': '{head}' } },
      until: 'approval_requested',
      last: { data: { data: { approvalId: { $save: 'named' }, child: { id: '{s}-child' } } } },
    },
    get('/sessions/{s}', shows({ lastEventId: { $save: 'later' } })),
    post('/chat/sessions/{s}/branch', { from_event_id: '{later}', session_id: '{s}-second' }, status(201)),
    get('/sessions/{s}-second', shows({ approvals: { $length: 0 } })),
    post('/sessions/{s}-second/approvals/{named}/answer', { answers: { db: 'SQLite' } }, status(404)),
    post('/sessions/{s}/approvals/{named}/answer', { answers: { db: 'SQLite' } }, shows({ decision: 'approved' })),
  ]),
  caseOf('[H197] [H198] a form takes values, and approve without a default names the route that answers', [
    ...asks({ ask: { schema: portForm }, id: 'form' }, { text: 'done' }),
    get('/sessions/{s}', shows({ approvals: [{ kind: 'question', schema: portForm }] })),
    post(`${approval}/approve`, {}, shows({ error: { $match: '/answer' } }, 400)),
    post(`${approval}/answer`, { values: { port: 'x' } }, invalidAnswer('"port"')),
    post(`${approval}/answer`, { values: { port: 1 } }, shows({ decision: 'approved' })),
    { answered: 'run', answer: shows({ result: 'done' }) },
    get(
      invoke,
      shows({
        entries: [{ type: 'prompt' }, { toolCallId: 'form', result: { values: { port: 1 } } }, { type: 'turn' }],
        approvals: [{ values: { port: 1 } }],
      }),
    ),
  ]),
  caseOf('[H198] approve gives the default of a question', [
    ...asks({ ...question, default: 'SQLite' }, { text: 'done' }),
    post(`${approval}/approve`, {}, shows({ decision: 'approved' })),
    { answered: 'run', answer: shows({ result: 'done' }) },
    get(invoke, shows({ approvals: [{ status: 'approved', answers: { db: 'SQLite' } }] })),
  ]),
  caseOf('[H198] [A10] reject declines a question, also one with a default', [
    ...asks({ ...question, default: 'SQLite' }, { text: 'went on' }),
    post(`${approval}/reject`, {}, shows({ decision: 'denied' })),
    { answered: 'run', answer: shows({ result: 'went on' }) },
    get(invoke, shows({ approvals: [{ status: 'denied', answers: { $absent: true } }] })),
  ]),
  caseOf('[S74] an expired question gets its default, and without one it is declined', [
    run(
      [
        { ...question, default: 'SQLite', expiresMs: 1 },
        { ...question, expiresMs: 1 },
      ],
      ok,
    ),
    get(
      invoke,
      shows({
        approvals: [
          { status: 'approved', decisionReason: 'expired', answers: { db: 'SQLite' } },
          { status: 'expired', answers: { $absent: true } },
        ],
      }),
    ),
  ]),
  caseOf('[H197] answers to an approval that is not a question are refused', [
    ...asks({ approve: 'write', id: 'c1', args: { n: 1 } }, { text: 'done' }),
    post(`${approval}/answer`, { answers: { db: 'SQLite' } }, shows({ error: { $match: 'not a question' } }, 400)),
    post(`${approval}/approve`, {}, shows({ ok: true })),
    { answered: 'run', answer: shows({ result: 'done' }) },
  ]),
  caseOf('[H25] what it tells of itself', [
    get('/health', shows({ ok: true })),
    get('/ready', shows({ ready: true })),
    get('/builds', shows({ builds: [] })),
    get('/engines', shows({ engines: { $any: true } })),
    get(
      '/openapi.json',
      shows({
        paths: {
          '/agents/{name}/{id}': { post: { requestBody: { $any: true } } },
          '/sessions/{id}/cancel': { post: { requestBody: { $any: true } } },
        },
      }),
    ),
    get('/metrics', { status: 200, headers: { 'content-type': { $match: '^text/plain' } } }),
  ]),
  caseOf('[H43] [H45] [H49] [H50] wrong values of a request are named, and unknown names are accepted', [
    ...asks({ approve: 'write', id: 'c1', args: { n: 1 } }, { text: 'done' }),
    post(`${approval}/approve`, { decision: 'denied' }, bad),
    get(invoke, shows({ approvals: [{ status: 'pending', args: { n: 1, _tool_call_id: { $absent: true } } }] })),
    post(
      `${approval}/reject`,
      { decision: 'denied', resaon: 'x' },
      shows({ decision: 'denied', warnings: [{ $match: '"resaon".*"reason"' }] }),
    ),
    { answered: 'run', answer: shows({ result: 'done' }) },
    get('/sessions?limit=0', bad),
    get('/sessions/{s}?agnet=1', shows({ warnings: [{ $match: '"agent"' }] })),
    exchange(
      { method: 'POST', path: invoke, raw: 'x', headers: { 'content-encoding': 'gzip' } },
      shows({ error: { $match: 'Content-Encoding' } }, 415),
    ),
  ]),
  caseOf('[H179] a misspelt prompt is refused with its name, and begins no session', [
    post(invoke, { promt: 'x' }, shows({ error: { $match: '"promt".*"prompt"' } }, 400)),
    post(invoke, {}, shows({ error: { $match: '"prompt"' } }, 400)),
    post(invoke, { prompt: 7 }, bad),
    post(invoke, { promt: 'x' }, bad, { prefer: 'respond-async' }),
    get('/sessions/{s}', status(404)),
  ]),
  caseOf('[H178] a list refuses a parameter that it does not know, and names the nearest one', [
    get('/sessions?user=ada', shows({ error: { $match: '"user"' } }, 400)),
    get('/sessions?limt=1', shows({ error: { $match: '"limt".*"limit"' } }, 400)),
    get('/approvals?curser=1', shows({ error: { $match: '"curser".*"cursor"' } }, 400)),
    get('/sessions?status=idle&kind=chat&search={s}&order=created&limit=1', shows({ sessions: [] })),
    get('/approvals?status=all&limit=1', ok),
  ]),
  caseOf('[H44] an answer names its run, and may begin before the run has ended', [
    run(say('a'), { status: 200, headers: { 'x-fabric-run-id': { $match: '^r-' } } }),
    run(
      [{ fail: 'no' }],
      {
        status: 200,
        headers: { 'x-fabric-run-id': { $match: '^r-' }, 'preference-applied': 'heartbeat' },
        body: { status: 500, error: { type: 'internal_error', message: 'no' }, sessionId: '{s}' },
      },
      { prefer: 'heartbeat' },
    ),
    run([{ sleepMs: 30_000 }], { status: 202, headers: { location: { $match: '^/sessions/' } } }, { prefer: 'wait=0' }),
    post('/sessions/{s}/cancel', {}, ok),
    stream('cancelled', 'cancelled'),
  ]),
  caseOn('token', '[H51] the prefix that a proxy removed', [
    run(
      say('x'),
      {
        status: 202,
        headers: { location: { $match: '^/below/sessions/' } },
        body: { agentPath: '/below/agents/scripted/{s}' },
      },
      { ...bearer('right'), 'x-forwarded-prefix': '/below', prefer: 'wait=0' },
    ),
  ]),
  caseOf('[H46] [H47] [H48] conditions and methods', [
    run(
      [{ artifact: { name: 'a.txt', content: 'abc' } }],
      { status: 202, headers: { location: { $match: '^/sessions/' } }, body: { agentPath: '/agents/scripted/{s}' } },
      { prefer: 'wait=0' },
    ),
    stream('done', 'idle'),
    get('/sessions/{s}/artifacts/a.txt', { status: 200, text: 'abc', headers: { etag: { $save: 'tag' } } }),
    get('/sessions/{s}/artifacts/a.txt', status(304), { 'if-none-match': '{tag}' }),
    get('/sessions/{s}/artifacts/a.txt', { status: 200, text: 'abc' }, { 'if-range': '"old"', range: 'bytes=1-' }),
    get('/sessions/{s}/artifacts/a.txt', status(412), { 'if-match': '"old"' }),
    get('/sessions/{s}', { status: 200, headers: { etag: { $save: 'whole' } } }),
    get('/sessions/{s}', status(304), { 'if-none-match': '{whole}' }),
    remove('/sessions/{s}', { status: 405, headers: { allow: 'GET, HEAD, OPTIONS, PATCH' } }),
    exchange({ method: 'OPTIONS', path: '/sessions' }, { status: 204, headers: { allow: { $match: 'POST' } } }),
  ]),
  caseOf('[H65] [H67] an uploaded file is used by one session', [
    exchange(
      {
        method: 'POST',
        path: '/files?filename=a.txt',
        headers: { 'content-type': 'text/plain' },
        raw: 'content',
      },
      shows({ ref_id: { $save: 'file' }, mime_type: 'text/plain', size_bytes: 7 }, 201),
    ),
    attach('one', '{file}', shows({ result: 'one' })),
    attach('two', '{file}', shows({ result: 'two' })),
    attach('no', '{file}', shows({ error: { $match: '^attachments\\.0\\.ref_id: ' } }, 400), `${invoke}-b`),
    attach('no', '{s}', bad, `${invoke}-b`),
    exchange({ method: 'POST', path: '/files', headers: { 'content-type': 'text/plain' }, raw: '' }, bad),
  ]),
]
