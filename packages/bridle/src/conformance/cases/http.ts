// docs/protocol/http.md: invoking, errors, access, and what else the routes answer.
import type { ConformanceCase } from '../case.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const unauthorized = { status: 401, body: { error: { type: 'unauthorized', message: { $any: true } } } } as const
const forbidden = { status: 403, body: { error: { type: 'forbidden', message: { $any: true } } } } as const
const missing = (message: string) => ({ status: 404, body: { error: 'Not found', message } }) as const
const notFound = missing('There is no session {s}.')
const notFoundOfAgent = missing('There is no session {s} of the agent scripted.')
/** A proxy in front may add a prefix to the route that is named. */
const missingPart = (words: string) =>
  ({ status: 404, body: { error: 'Not found', message: { $match: `^There is no ${words}\\.$` } } }) as const
const noApproval = missingPart('approval apr-1 in this session; GET \\S*/approvals lists those that wait')
const noProposal = missingPart('proposal art-1 in this session; GET \\S*/memory lists them')
const noArtifact = missingPart('artifact nothing in this session; GET \\S*/artifacts lists them')
const noSuchPath = { status: 404, body: { error: 'Not found', message: { $match: 'GET .*/docs' } } } as const
const noSuchAgent = {
  status: 404,
  body: { error: 'Not found', message: { $match: '^There is no agent nobody; there (is|are) .*scripted' } },
} as const
const bad = { status: 400, body: { error: { $match: '.' } } } as const
const say = (text: string) => [{ text }]
const invoke = '/agents/scripted/{s}'

export const httpCases: readonly ConformanceCase[] = [
  {
    name: '[H1] answers with the result when the run has ended',
    steps: [
      {
        ask: { method: 'POST', path: invoke, script: [{ text: 'Hello there', chunks: 3 }] },
        answer: { status: 200, body: { result: 'Hello there', sessionId: '{s}', agentPath: '/agents/scripted/{s}' } },
      },
    ],
  },
  {
    name: '[H1] prompts of one session are answered one after the other',
    steps: [
      { begin: 'first', ask: { method: 'POST', path: invoke, script: [{ sleepMs: 40 }, { text: 'one' }] } },
      { stream: 'waits', ask: { path: `${invoke}/stream` }, until: 'prompt_start' },
      { ask: { method: 'POST', path: invoke, script: say('two') }, answer: { status: 200, body: { result: 'two' } } },
      { answered: 'first', answer: { status: 200, body: { result: 'one' } } },
    ],
  },
  {
    name: '[H2] a failed run is a 500 with its message',
    steps: [
      {
        ask: { method: 'POST', path: invoke, script: [{ text: 'so far' }, { fail: 'it broke' }] },
        answer: { status: 500, body: { error: { type: 'internal_error', message: 'it broke' } } },
      },
    ],
  },
  {
    name: '[H2] a cancelled run is a conflict',
    steps: [
      { begin: 'run', ask: { method: 'POST', path: invoke, script: [{ text: 'a' }, { sleepMs: 30_000 }] } },
      { stream: 'at-work', ask: { path: `${invoke}/stream` }, until: 'text_delta' },
      {
        ask: { method: 'POST', path: '/sessions/{s}/cancel', body: { reason: 'enough' } },
        answer: { status: 200, body: { cancelled: true, runId: { $save: 'run' } } },
      },
      { answered: 'run', answer: { status: 409, body: { error: { type: 'conflict' } } } },
      {
        ask: { path: '/sessions/{s}/runs/{run}' },
        answer: { status: 200, body: { runId: '{run}', status: 'cancelled' } },
      },
      {
        ask: { method: 'POST', path: '/sessions/{s}/cancel', body: { runId: '{run}' } },
        answer: { status: 200, body: { cancelled: false } },
      },
    ],
  },
  {
    name: '[H3] one key is one run and one answer; another body is a conflict',
    steps: [
      {
        ask: { method: 'POST', path: invoke, script: say('once'), headers: { 'idempotency-key': 'k-1' } },
        answer: { status: 200, body: { result: 'once' } },
      },
      {
        ask: { method: 'POST', path: invoke, script: say('once'), headers: { 'idempotency-key': 'k-1' } },
        answer: { status: 200, body: { result: 'once' } },
      },
      {
        ask: { method: 'POST', path: invoke, script: say('other'), headers: { 'idempotency-key': 'k-1' } },
        answer: { status: 409, body: { error: { type: 'conflict' } } },
      },
      {
        stream: 'all',
        ask: { path: `${invoke}/stream` },
        until: 'idle',
        types: ['prompt_start', 'text_delta', 'result', 'idle'],
      },
      { ask: { method: 'POST', path: invoke, script: say('x'), headers: { 'idempotency-key': 'a b' } }, answer: bad },
    ],
  },
  {
    name: '[H11] [H155] what is not there, and what makes no sense',
    steps: [
      { ask: { path: '/nowhere' }, answer: noSuchPath },
      { ask: { path: '/sessions/{s}' }, answer: notFound },
      { ask: { path: '/sessions/{s}/events' }, answer: notFound },
      { ask: { path: '/sessions/{s}/artifacts' }, answer: notFound },
      { ask: { path: '/sessions/{s}/runs/r-1' }, answer: notFound },
      { ask: { method: 'POST', path: '/sessions/{s}/cancel', body: {} }, answer: notFound },
      { ask: { method: 'POST', path: '/sessions/{s}/signal', body: { name: 'go' } }, answer: notFound },
      { ask: { method: 'POST', path: '/sessions/{s}/approvals/apr-1/approve', body: {} }, answer: notFound },
      { ask: { path: invoke }, answer: notFoundOfAgent },
      { ask: { method: 'DELETE', path: invoke }, answer: notFoundOfAgent },
      { ask: { method: 'POST', path: '/agents/nobody/{s}', script: say('x') }, answer: noSuchAgent },
      { ask: { path: '/agents/nobody/{s}/stream' }, answer: noSuchAgent },
      { ask: { method: 'POST', path: '/agents/scripted/a%2Fb', script: say('x') }, answer: bad },
      { ask: { method: 'POST', path: invoke, raw: '{' }, answer: bad },
      { ask: { method: 'POST', path: invoke, raw: '[]' }, answer: bad },
      { ask: { method: 'POST', path: invoke, body: {} }, answer: bad },
      { ask: { method: 'POST', path: invoke, body: { prompt: '' } }, answer: bad },
      { ask: { path: '/sessions?limit=x' }, answer: bad },
      { ask: { path: '/sessions?cursor=x' }, answer: bad },
      { ask: { path: '/sessions?status=nope' }, answer: bad },
      { ask: { path: '/sessions?flag=nope' }, answer: bad },
      { ask: { path: '/approvals?cursor=x' }, answer: bad },
      { ask: { path: '/approvals?status=done' }, answer: bad },
      { ask: { path: `${invoke}/stream?after=x` }, answer: bad },
      { ask: { path: `${invoke}/stream?replay=x` }, answer: bad },
    ],
  },
  {
    name: '[H11] [H155] an unknown session is reported before other problems, and a part of a session by its own name',
    steps: [
      { ask: { method: 'POST', path: '/sessions/{s}/cancel', raw: '{' }, answer: notFound },
      { ask: { path: '/sessions/{s}/events?after=x' }, answer: notFound },
      { ask: { method: 'POST', path: invoke, script: say('x') }, answer: { status: 200 } },
      { ask: { method: 'POST', path: '/sessions/{s}/cancel', raw: '{' }, answer: bad },
      { ask: { path: '/sessions/{s}/events?after=x' }, answer: bad },
      { ask: { path: '/sessions/{s}/runs/r-999' }, answer: missing('There is no run r-999 in this session.') },
      { ask: { method: 'POST', path: '/sessions/{s}/approvals/apr-1/approve', body: {} }, answer: noApproval },
      { ask: { method: 'POST', path: '/sessions/{s}/approvals/apr-1/reject', body: {} }, answer: noApproval },
      { ask: { method: 'POST', path: '/sessions/{s}/approvals/apr-1/maybe', body: {} }, answer: bad },
      { ask: { path: '/sessions/{s}/artifacts/nothing' }, answer: noArtifact },
    ],
  },
  {
    name: '[H58] a signal needs a name, and a run that takes signals',
    steps: [
      { begin: 'run', ask: { method: 'POST', path: invoke, script: [{ text: 'a' }, { sleepMs: 30_000 }] } },
      { stream: 'at-work', ask: { path: `${invoke}/stream` }, until: 'text_delta' },
      { ask: { method: 'POST', path: '/sessions/{s}/signal', body: {} }, answer: bad },
      { ask: { method: 'POST', path: '/sessions/{s}/signal', body: { name: 'a b' } }, answer: bad },
      {
        ask: { method: 'POST', path: '/sessions/{s}/signal', body: { name: 'go', payload: { n: 1 } } },
        answer: { status: 409, body: { error: { type: 'conflict', message: { $any: true } } } },
      },
      { ask: { method: 'POST', path: '/sessions/{s}/cancel', body: {} }, answer: { status: 200 } },
      { answered: 'run', answer: { status: 409 } },
      { ask: { method: 'POST', path: '/sessions/{s}/signal', body: { name: 'go' } }, answer: { status: 409 } },
    ],
  },
  {
    name: '[H58] a signal needs the scope operate',
    server: 'scoped',
    steps: [
      { ask: { method: 'POST', path: invoke, script: say('x'), headers: bearer('worker') }, answer: { status: 200 } },
      {
        ask: { method: 'POST', path: '/sessions/{s}/signal', body: { name: 'go' }, headers: bearer('reader') },
        answer: forbidden,
      },
      {
        ask: { method: 'POST', path: '/sessions/{s}/signal', body: { name: 'go' }, headers: bearer('worker') },
        answer: { status: 409 },
      },
    ],
  },
  {
    name: '[H70] [H71] [H72] a proposal for the memory is accepted or rejected, once',
    steps: [
      {
        ask: {
          method: 'POST',
          path: invoke,
          script: [
            { artifact: { name: 'lesson', content: 'Ask first.', kind: 'memory_proposal' } },
            { artifact: { name: 'rumour', content: 'Never ask.', kind: 'memory_proposal' } },
          ],
        },
        answer: { status: 200 },
      },
      {
        ask: { path: '/sessions/{s}/memory' },
        answer: {
          status: 200,
          body: {
            memory: [],
            proposals: [
              { id: { $save: 'rumour' }, key: 'rumour', status: 'pending', decidedAt: null },
              { id: { $save: 'lesson' }, key: 'lesson', status: 'pending', runId: { $save: 'run' } },
            ],
          },
        },
      },
      {
        ask: { method: 'POST', path: '/sessions/{s}/memory/{lesson}', body: { decision: 'accept', actor: 'ann' } },
        answer: { status: 200, body: { ok: true, proposalId: '{lesson}', decision: 'accepted', key: 'lesson' } },
      },
      {
        ask: { method: 'POST', path: '/sessions/{s}/memory/{lesson}', body: { decision: 'accept', actor: 'ann' } },
        answer: { status: 200, body: { decision: 'accepted' } },
      },
      {
        ask: { method: 'POST', path: '/sessions/{s}/memory/{lesson}', body: { decision: 'reject' } },
        answer: { status: 409, body: { error: { type: 'conflict' } } },
      },
      {
        ask: { method: 'POST', path: '/sessions/{s}/memory/{rumour}', body: { decision: 'reject', reason: 'untrue' } },
        answer: { status: 200, body: { decision: 'rejected' } },
      },
      { ask: { method: 'POST', path: '/sessions/{s}/memory/{rumour}', body: { decision: 'maybe' } }, answer: bad },
      { ask: { method: 'POST', path: '/sessions/{s}/memory/art-1', body: { decision: 'accept' } }, answer: noProposal },
      { ask: { path: '/sessions/{s}-other/memory' }, answer: missing('There is no session {s}-other.') },
      {
        ask: { path: '/sessions/{s}/memory' },
        answer: {
          status: 200,
          body: {
            memory: [{ key: 'lesson', value: 'Ask first.', proposalId: '{lesson}', runId: '{run}', acceptedBy: 'ann' }],
            proposals: [{ status: 'rejected', decisionReason: 'untrue' }, { status: 'accepted' }],
          },
        },
      },
      {
        stream: 'told',
        ask: { path: '/sessions/{s}/events/stream?tier=default&replay=all' },
        until: 'memory_decided',
        last: { data: { payload: { proposal_id: '{lesson}', decision: 'accepted', key: 'lesson', actor: 'ann' } } },
      },
    ],
  },
  {
    name: '[H72] a decision about the memory needs the scope operate',
    server: 'scoped',
    steps: [
      { ask: { method: 'POST', path: invoke, script: say('x'), headers: bearer('worker') }, answer: { status: 200 } },
      {
        ask: {
          method: 'POST',
          path: '/sessions/{s}/memory/art-1',
          body: { decision: 'accept' },
          headers: bearer('reader'),
        },
        answer: forbidden,
      },
      {
        ask: {
          method: 'POST',
          path: '/sessions/{s}/memory/art-1',
          body: { decision: 'accept' },
          headers: bearer('worker'),
        },
        answer: noProposal,
      },
    ],
  },
  {
    name: '[H12] a body that is too large',
    server: 'small',
    steps: [
      {
        ask: { method: 'POST', path: invoke, bytes: 5_000 },
        answer: { status: 413, body: { error: { type: 'body_too_large' } } },
      },
      { ask: { method: 'POST', path: invoke, script: say('fits') }, answer: { status: 200 } },
    ],
  },
  {
    name: '[H12] a key twice in one object',
    steps: [
      { ask: { method: 'POST', path: invoke, raw: '{"prompt":"a","prompt":"b"}' }, answer: bad },
      { ask: { method: 'POST', path: '/chat/sessions', raw: '{"title":"a","\\u0074itle":"b"}' }, answer: bad },
    ],
  },
  {
    name: '[H34] . and .. are no ids',
    steps: [
      { ask: { method: 'POST', path: '/chat/sessions', body: { session_id: '..' } }, answer: bad },
      {
        ask: { method: 'POST', path: '/sessions', body: { session_id: '.', agent: 'scripted', prompt: 'x' } },
        answer: bad,
      },
      { ask: { path: '/sessions?tenant=..' }, answer: bad },
      { ask: { method: 'POST', path: '/tickets', body: { sessionId: '.' } }, answer: bad },
    ],
  },
  {
    name: '[H36] what a page of another site embeds',
    isOpenOnly: true,
    steps: [
      {
        ask: { path: '/sessions', headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } },
        answer: { status: 403, body: { error: { type: 'forbidden' } } },
      },
      {
        ask: { path: '/sessions', headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' } },
        answer: { status: 200, headers: { 'cross-origin-resource-policy': 'same-origin' } },
      },
    ],
  },
  {
    name: '[H13] [H155] another tenant’s session answers like none',
    steps: [
      {
        ask: { method: 'POST', path: invoke, script: say('mine'), headers: { 'x-fabric-tenant': 'acme' } },
        answer: { status: 200 },
      },
      { ask: { path: '/sessions/{s}', headers: { 'x-fabric-tenant': 'acme' } }, answer: { status: 200 } },
      { ask: { path: '/sessions/{s}?tenant=acme' }, answer: { status: 200 } },
      { ask: { path: '/sessions/{s}' }, answer: notFound },
      { ask: { path: '/sessions/{s}', headers: { 'x-fabric-tenant': 'other' } }, answer: notFound },
      { ask: { method: 'DELETE', path: invoke }, answer: notFoundOfAgent },
      { ask: { path: invoke }, answer: notFoundOfAgent },
      { ask: { path: '/sessions?search={s}' }, answer: { status: 200, body: { sessions: [] } } },
      { ask: { path: '/sessions?tenant=a%2Fb' }, answer: bad },
    ],
  },
  {
    name: '[H13] a tenant may be required',
    server: 'tenants',
    steps: [
      { ask: { path: '/sessions' }, answer: bad },
      { ask: { path: '/sessions', headers: { 'x-fabric-tenant': 'acme' } }, answer: { status: 200 } },
      { ask: { path: '/sessions?tenant=acme' }, answer: { status: 200 } },
    ],
  },
  {
    name: '[H14] a token',
    server: 'token',
    steps: [
      { ask: { path: '/health' }, answer: { status: 200, body: { ok: true } } },
      { ask: { path: '/ready' }, answer: { status: 200, body: { ready: true, agents: { $absent: true } } } },
      { ask: { path: '/sessions' }, answer: unauthorized },
      { ask: { path: '/sessions', headers: bearer('wrong') }, answer: unauthorized },
      { ask: { path: '/sessions', headers: { authorization: 'Basic right' } }, answer: unauthorized },
      { ask: { path: '/sessions/{s}' }, answer: unauthorized },
      { ask: { method: 'POST', path: invoke, script: say('x') }, answer: unauthorized },
      { ask: { path: '/sessions', headers: bearer('right') }, answer: { status: 200 } },
      { ask: { path: '/sessions?token=right' }, answer: { status: 200 } },
      { ask: { path: '/ready', headers: bearer('right') }, answer: { status: 200, body: { agents: { $any: true } } } },
      { ask: { method: 'POST', path: invoke, script: say('x'), headers: bearer('right') }, answer: { status: 200 } },
    ],
  },
  {
    name: '[H14] pages of other origins',
    server: 'token',
    steps: [
      {
        ask: { path: '/sessions', headers: { ...bearer('right'), origin: 'https://evil.example' } },
        answer: { status: 403, body: { error: { type: 'forbidden' } } },
      },
      {
        ask: { path: '/sessions', headers: { ...bearer('right'), origin: 'http://localhost:5173' } },
        answer: { status: 200, headers: { 'access-control-allow-origin': 'http://localhost:5173' } },
      },
      {
        ask: { path: '/sessions/{s}', headers: { ...bearer('right'), origin: 'http://localhost:5173' } },
        answer: {
          status: 404,
          headers: { 'access-control-allow-origin': 'http://localhost:5173', vary: { $match: 'Origin' } },
        },
      },
      {
        ask: { method: 'OPTIONS', path: '/sessions', headers: { origin: 'http://localhost:5173' } },
        answer: { status: 204, headers: { 'access-control-allow-origin': 'http://localhost:5173' } },
      },
    ],
  },
  {
    name: '[H13] a token can do no more than its tenants, scopes and user say',
    server: 'scoped',
    steps: [
      { ask: { path: '/sessions', headers: bearer('reader') }, answer: { status: 200 } },
      { ask: { path: '/sessions?tenant=umbrella', headers: bearer('reader') }, answer: { status: 200 } },
      {
        ask: { path: '/sessions?tenant=other', headers: bearer('reader') },
        answer: { status: 403, body: { error: { type: 'forbidden' } } },
      },
      {
        ask: { method: 'POST', path: invoke, script: say('x'), headers: bearer('reader') },
        answer: { status: 403, body: { error: { type: 'forbidden' } } },
      },
      { ask: { method: 'POST', path: invoke, script: say('x'), headers: bearer('worker') }, answer: { status: 200 } },
      {
        ask: { method: 'POST', path: '/sessions/{s}/approvals/apr-1/approve', body: {}, headers: bearer('worker') },
        answer: { status: 403 },
      },
      {
        ask: { method: 'POST', path: '/agents/scripted/user:bob', script: say('x'), headers: bearer('worker') },
        answer: { status: 200 },
      },
      { ask: { path: '/sessions/user:bob', headers: bearer('ann') }, answer: missing('There is no session user:bob.') },
      {
        ask: { path: '/agents/scripted/user:bob', headers: bearer('ann') },
        answer: missing('There is no session user:bob of the agent scripted.'),
      },
    ],
  },
  {
    name: '[H32] a user is shown what that user may open',
    server: 'scoped',
    steps: [
      {
        ask: { method: 'POST', path: '/agents/scripted/user:cy', script: say('x'), headers: bearer('worker') },
        answer: { status: 200 },
      },
      {
        ask: {
          method: 'POST',
          path: '/chat/sessions/user:cy/branch',
          body: { from_event_id: 'ev-2', session_id: '{s}' },
          headers: bearer('worker'),
        },
        answer: { status: 201 },
      },
      { ask: { path: '/sessions/{s}', headers: bearer('worker') }, answer: { status: 200 } },
      { ask: { path: '/sessions/{s}', headers: bearer('ann') }, answer: notFound },
      {
        ask: { path: '/sessions?search={s}', headers: bearer('ann') },
        answer: { status: 200, body: { sessions: [] } },
      },
      {
        ask: { path: '/sessions?search=user:cy', headers: bearer('ann') },
        answer: { status: 200, body: { sessions: [] } },
      },
      {
        ask: { path: '/sessions?parent=user:cy', headers: bearer('worker') },
        answer: { status: 200, body: { sessions: [{ id: '{s}' }] } },
      },
      {
        ask: { path: '/metrics', headers: bearer('ann') },
        answer: { status: 403, body: { error: { type: 'forbidden' } } },
      },
    ],
  },
  {
    name: '[H17] too many requests',
    server: 'limited',
    steps: [
      { ask: { path: '/health' }, answer: { status: 200 } },
      { ask: { path: '/sessions' }, answer: { status: 200 } },
      { ask: { path: '/sessions/{s}' }, answer: notFound },
      { ask: { path: invoke }, answer: notFoundOfAgent },
      {
        ask: { path: '/sessions' },
        answer: {
          status: 429,
          body: { error: { type: 'rate_limited' } },
          headers: { 'retry-after': { $match: '^[0-9]+$' } },
        },
      },
      { ask: { path: '/health' }, answer: { status: 200 } },
    ],
  },
  {
    name: '[H18] a ticket is good for one use, and for what it names',
    server: 'token',
    steps: [
      { ask: { method: 'POST', path: invoke, script: say('x'), headers: bearer('right') }, answer: { status: 200 } },
      {
        ask: { method: 'POST', path: '/tickets', body: {}, headers: bearer('right') },
        answer: { status: 201, body: { ticket: { $save: 'one' }, expiresAt: { $match: '^2' } } },
      },
      { ask: { path: '/sessions/{s}?ticket={one}' }, answer: { status: 200 } },
      { ask: { path: '/sessions/{s}?ticket={one}' }, answer: unauthorized },
      { ask: { path: '/sessions/{s}?ticket={one}x' }, answer: unauthorized },
      { ask: { path: '/sessions/{s}?ticket=nothing' }, answer: unauthorized },
      {
        ask: { method: 'POST', path: '/tickets', body: { sessionId: 'another' }, headers: bearer('right') },
        answer: { status: 201, body: { ticket: { $save: 'two' } } },
      },
      { ask: { path: '/sessions/{s}?ticket={two}' }, answer: notFound },
      {
        ask: { method: 'POST', path: '/tickets', body: { scopes: ['observe'] }, headers: bearer('right') },
        answer: { status: 201, body: { ticket: { $save: 'three' } } },
      },
      { ask: { method: 'POST', path: '/sessions/{s}/cancel?ticket={three}', body: {} }, answer: { status: 403 } },
    ],
  },
  {
    name: '[H29] a ticket buys no ticket',
    server: 'token',
    steps: [
      {
        ask: { method: 'POST', path: '/tickets', body: {}, headers: bearer('right') },
        answer: { status: 201, body: { ticket: { $save: 'any' } } },
      },
      { ask: { method: 'POST', path: '/tickets?ticket={any}', body: {} }, answer: forbidden },
      { ask: { method: 'POST', path: '/tickets?ticket={any}', body: {} }, answer: unauthorized },
      {
        ask: { method: 'POST', path: '/tickets', body: { sessionId: '{s}' }, headers: bearer('right') },
        answer: { status: 201, body: { ticket: { $save: 'one' } } },
      },
      { ask: { method: 'POST', path: '/tickets?ticket={one}', body: { sessionId: '{s}' } }, answer: forbidden },
    ],
  },
  {
    name: '[H30] a ticket stays with its tenant, and with the page that bought it',
    server: 'token',
    steps: [
      {
        ask: { method: 'POST', path: `${invoke}?tenant=acme`, script: say('x'), headers: bearer('right') },
        answer: { status: 200 },
      },
      {
        ask: { method: 'POST', path: '/tickets?tenant=acme', body: {}, headers: bearer('right') },
        answer: { status: 201, body: { ticket: { $save: 'one' } } },
      },
      { ask: { path: '/sessions/{s}?ticket={one}' }, answer: { status: 200 } },
      {
        ask: { method: 'POST', path: '/tickets', body: {}, headers: bearer('right') },
        answer: { status: 201, body: { ticket: { $save: 'two' } } },
      },
      { ask: { path: '/sessions/{s}?ticket={two}&tenant=acme' }, answer: notFound },
      {
        ask: {
          method: 'POST',
          path: '/tickets',
          body: {},
          headers: { ...bearer('right'), origin: 'http://localhost:5173' },
        },
        answer: { status: 201, body: { ticket: { $save: 'page' } } },
      },
      {
        ask: { path: '/sessions?ticket={page}', headers: { origin: 'http://localhost:5174' } },
        answer: unauthorized,
      },
    ],
  },
  {
    name: '[H19] every answer has a correlation id, the caller’s own where it is one',
    steps: [
      {
        ask: { path: '/sessions/{s}', headers: { 'x-correlation-id': 'mine-1' } },
        answer: { status: 404, headers: { 'x-correlation-id': 'mine-1' } },
      },
      {
        ask: { method: 'POST', path: invoke, script: say('x'), headers: { 'x-correlation-id': 'mine-2' } },
        answer: { status: 200, headers: { 'x-correlation-id': 'mine-2' } },
      },
      { ask: { path: '/health' }, answer: { status: 200, headers: { 'x-correlation-id': { $match: '.' } } } },
    ],
  },
  {
    name: '[H20] lists: newest change first, filtered, in pages',
    steps: [
      { ask: { method: 'POST', path: '/agents/scripted/{s}.a', script: say('x') }, answer: { status: 200 } },
      { ask: { method: 'POST', path: '/agents/scripted/{s}.b', script: [{ fail: 'no' }] }, answer: { status: 500 } },
      {
        ask: { path: '/sessions?search={s}' },
        answer: {
          status: 200,
          body: { sessions: [{ id: '{s}.b' }, { id: '{s}.a', status: 'idle', session_id: '{s}.a' }] },
        },
      },
      {
        ask: { path: '/sessions?search={s}&limit=1' },
        answer: { status: 200, body: { sessions: [{ id: '{s}.b' }], next: { $save: 'next' } } },
      },
      {
        ask: { path: '/sessions?search={s}&limit=1&cursor={next}' },
        answer: { status: 200, body: { sessions: [{ id: '{s}.a' }] } },
      },
      { ask: { path: '/sessions?search={s}&kind=background' }, answer: { status: 200, body: { sessions: [] } } },
    ],
  },
  {
    name: '[H80] [H81] an archived session leaves the list, and a prompt takes it out again',
    steps: [
      { ask: { method: 'POST', path: invoke, script: say('x') }, answer: { status: 200 } },
      {
        ask: { method: 'POST', path: '/sessions/{s}/archive', body: {} },
        answer: { status: 200, body: { id: '{s}', archived: true } },
      },
      { ask: { path: '/sessions?search={s}' }, answer: { status: 200, body: { sessions: [] } } },
      {
        ask: { path: '/sessions?search={s}&archived=true' },
        answer: { status: 200, body: { sessions: [{ id: '{s}', archived: true }] } },
      },
      { ask: { method: 'POST', path: invoke, script: say('y') }, answer: { status: 200 } },
      {
        ask: { path: '/sessions?search={s}' },
        answer: { status: 200, body: { sessions: [{ id: '{s}', archived: false }] } },
      },
    ],
  },
  {
    name: '[H132] a title that a person gives replaces the beginning of the prompt',
    steps: [
      { ask: { method: 'POST', path: invoke, script: say('x') }, answer: { status: 200 } },
      {
        ask: { method: 'PATCH', path: '/sessions/{s}', body: { title: ' Plans of {s} ' } },
        answer: { status: 200, body: { id: '{s}', title: 'Plans of {s}' } },
      },
      { ask: { method: 'POST', path: invoke, script: say('y') }, answer: { status: 200 } },
      {
        ask: { path: '/sessions?search=plans%20of%20{s}' },
        answer: { status: 200, body: { sessions: [{ id: '{s}', title: 'Plans of {s}' }] } },
      },
      { ask: { method: 'PATCH', path: '/sessions/{s}', body: { title: ' ' } }, answer: { status: 400 } },
      { ask: { method: 'PATCH', path: '/sessions/{s}.none', body: { title: 'x' } }, answer: { status: 404 } },
      {
        ask: { method: 'POST', path: '/sessions', body: { agent: 'scripted', prompt: 'x', title: ' ' } },
        answer: { status: 400 },
      },
      {
        ask: { method: 'POST', path: '/chat/sessions', body: { agent: 'scripted', title: 'x'.repeat(201) } },
        answer: { status: 400 },
      },
      {
        ask: { method: 'POST', path: '/chat/sessions/{s}/branch', body: { from_event_id: 'ev-1', title: '' } },
        answer: { status: 400 },
      },
      { ask: { method: 'POST', path: '/sessions/{s}/replay', body: { title: ' ' } }, answer: { status: 400 } },
    ],
  },
  {
    name: '[H74] [H75] the caller and the agents',
    steps: [
      { ask: { path: '/me' }, answer: { status: 200, body: { tenant: { $match: '.' }, scopes: { $any: true } } } },
      { ask: { path: '/agents' }, answer: { status: 200, body: { agents: { $any: true } } } },
    ],
  },
  {
    name: '[H20] a long text is cut in a list, and whole in its session',
    steps: [
      {
        ask: { method: 'POST', path: '/agents/scripted/{s}', script: [{ fail: 'x'.repeat(3_000) }] },
        answer: { status: 500 },
      },
      {
        ask: { path: '/sessions?search={s}' },
        answer: { status: 200, body: { sessions: [{ id: '{s}', last_error: { $match: '^x{2000}$' } }] } },
      },
      {
        ask: { path: '/sessions/{s}' },
        answer: { status: 200, body: { last_error: { $match: '^x{3000}$' } } },
      },
    ],
  },
  {
    name: '[H21] the timeline has entries, events, artifacts and approvals',
    steps: [
      {
        ask: {
          method: 'POST',
          path: invoke,
          script: [
            { tool: 'read', id: 'c1', args: { p: 1 }, result: 42 },
            { artifact: { name: 'a.txt', content: 'text' } },
            { text: 'done' },
          ],
        },
        answer: { status: 200, body: { result: 'done' } },
      },
      {
        ask: { path: invoke },
        answer: {
          status: 200,
          body: {
            id: '{s}',
            entries: { $any: true },
            artifacts: [{ name: 'a.txt', id: { $save: 'artifact' } }],
            approvals: [],
          },
        },
      },
      {
        ask: { path: '/sessions/{s}/artifacts' },
        answer: { status: 200, body: { artifacts: [{ id: '{artifact}', size: 4 }] } },
      },
      {
        ask: { path: '/sessions/{s}/artifacts/{artifact}' },
        answer: { status: 200, text: 'text', headers: { 'content-security-policy': 'sandbox', 'content-length': '4' } },
      },
      {
        ask: { path: '/sessions/{s}/artifacts/a.txt', headers: { range: 'bytes=1-2' } },
        answer: { status: 206, text: 'ex', headers: { 'content-range': 'bytes 1-2/4' } },
      },
      {
        ask: { path: '/sessions/{s}/artifacts/a.txt', headers: { range: 'bytes=9-' } },
        answer: { status: 416, headers: { 'content-range': 'bytes */4' } },
      },
    ],
  },
  {
    name: '[H22] a removed session is gone; its id continues its numbers',
    steps: [
      { ask: { method: 'POST', path: invoke, script: say('old') }, answer: { status: 200 } },
      { stream: 'old', ask: { path: `${invoke}/stream` }, until: 'idle', last: { id: { $save: 'last' } } },
      { ask: { method: 'DELETE', path: invoke }, answer: { status: 200, body: { deleted: true, sessionId: '{s}' } } },
      { ask: { path: '/sessions/{s}' }, answer: notFound },
      { ask: { method: 'DELETE', path: invoke }, answer: notFoundOfAgent },
      { ask: { path: '/sessions?search={s}' }, answer: { status: 200, body: { sessions: [] } } },
      { ask: { method: 'POST', path: invoke, script: say('new') }, answer: { status: 200 } },
      {
        stream: 'new',
        ask: { path: `${invoke}/stream`, headers: { 'last-event-id': '{last}' } },
        until: 'idle',
        types: ['reset', 'prompt_start', 'text_delta', 'result', 'idle'],
      },
      { ask: { path: '/sessions/{s}' }, answer: { status: 200, body: { messages: { $length: 2 } } } },
    ],
  },
  {
    name: '[H23] respond-async answers at once, and says where to look',
    steps: [
      {
        ask: {
          method: 'POST',
          path: invoke,
          script: [{ sleepMs: 50 }, { text: 'later' }],
          headers: { prefer: 'respond-async' },
        },
        answer: {
          status: 202,
          body: { status: 'accepted', runId: { $save: 'run' } },
          headers: { location: { $match: '^/sessions/' } },
        },
      },
      { stream: 'done', ask: { path: `${invoke}/stream` }, until: 'idle' },
      {
        ask: { path: '/sessions/{s}/runs/{run}' },
        answer: { status: 200, body: { runId: '{run}', status: 'completed', result: 'later' } },
      },
    ],
  },
  {
    name: '[H21] [H43] an approval is answered once: the first answer counts',
    steps: [
      {
        begin: 'run',
        ask: {
          method: 'POST',
          path: invoke,
          script: [{ approve: 'write', id: 'c1', args: { n: 1 }, reason: 'asks' }, { text: 'done' }],
        },
      },
      {
        stream: 'asked',
        ask: { path: `${invoke}/stream` },
        until: 'approval_requested',
        last: { data: { data: { approvalId: { $save: 'approval' }, args: { n: 1 } } } },
      },
      {
        ask: { path: '/sessions/{s}' },
        answer: { status: 200, body: { status: 'awaiting_approval', approvals: [{ id: '{approval}' }] } },
      },
      {
        ask: {
          method: 'POST',
          path: '/sessions/{s}/approvals/{approval}/approve',
          body: { args: { n: 2 } },
          headers: { 'idempotency-key': 'approve-1' },
        },
        answer: { status: 200, body: { ok: true } },
      },
      { answered: 'run', answer: { status: 200, body: { result: 'done' } } },
      {
        stream: 'resolved',
        ask: { path: `${invoke}/stream` },
        until: 'approval_resolved',
        last: { data: { data: { approvalId: '{approval}', decision: 'approved', args: { n: 2 } } } },
      },
      {
        ask: { method: 'POST', path: '/sessions/{s}/approvals/{approval}/approve', body: { args: { n: 2 } } },
        answer: { status: 200 },
      },
      {
        ask: {
          method: 'POST',
          path: '/sessions/{s}/approvals/{approval}/approve',
          body: { args: { n: 2 } },
          headers: { 'idempotency-key': 'approve-1' },
        },
        answer: { status: 200, body: { ok: true } },
      },
      {
        ask: {
          method: 'POST',
          path: '/sessions/{s}/approvals/{approval}/approve',
          body: { args: { n: 2 }, reason: 'other' },
          headers: { 'idempotency-key': 'approve-1' },
        },
        answer: { status: 409, body: { error: { type: 'conflict' } } },
      },
      {
        ask: { method: 'POST', path: '/sessions/{s}/approvals/{approval}/reject', body: {} },
        answer: { status: 409, body: { error: { type: 'conflict' } } },
      },
    ],
  },
  {
    name: '[S67] edited arguments that do not fit are refused, and the approval stays open',
    steps: [
      {
        begin: 'run',
        ask: {
          method: 'POST',
          path: invoke,
          script: [{ approve: 'write', id: 'c1', args: { path: 'a' }, takes: ['path'] }, { text: 'done' }],
        },
      },
      {
        stream: 'asked',
        ask: { path: `${invoke}/stream` },
        until: 'approval_requested',
        last: { data: { data: { approvalId: { $save: 'approval' } } } },
      },
      {
        ask: {
          method: 'POST',
          path: '/sessions/{s}/approvals/{approval}/approve',
          body: { args: { paht: 'b' } },
          headers: { 'idempotency-key': 'approve-1' },
        },
        answer: { status: 400, body: { error: { $match: '"write" do not fit: path: ' } } },
      },
      {
        ask: { path: '/sessions/{s}' },
        answer: { status: 200, body: { status: 'awaiting_approval', approvals: [{ id: '{approval}' }] } },
      },
      {
        ask: {
          method: 'POST',
          path: '/sessions/{s}/approvals/{approval}/approve',
          body: { args: { path: 'b' } },
          headers: { 'idempotency-key': 'approve-1' },
        },
        answer: { status: 200, body: { ok: true } },
      },
      { answered: 'run', answer: { status: 200, body: { result: 'done' } } },
    ],
  },
  {
    name: '[H25] what it tells of itself',
    steps: [
      { ask: { path: '/health' }, answer: { status: 200, body: { ok: true } } },
      { ask: { path: '/ready' }, answer: { status: 200, body: { ready: true } } },
      { ask: { path: '/builds' }, answer: { status: 200, body: { builds: [] } } },
      { ask: { path: '/engines' }, answer: { status: 200, body: { engines: { $any: true } } } },
      {
        ask: { path: '/openapi.json' },
        answer: {
          status: 200,
          body: {
            paths: {
              '/agents/{name}/{id}': { post: { requestBody: { $any: true } } },
              '/sessions/{id}/cancel': { post: { requestBody: { $any: true } } },
            },
          },
        },
      },
      { ask: { path: '/metrics' }, answer: { status: 200, headers: { 'content-type': { $match: '^text/plain' } } } },
    ],
  },
  {
    name: '[H43] [H45] [H49] [H50] wrong values of a request are named, and unknown names are accepted',
    steps: [
      {
        begin: 'run',
        ask: {
          method: 'POST',
          path: invoke,
          script: [{ approve: 'write', id: 'c1', args: { n: 1 } }, { text: 'done' }],
        },
      },
      {
        stream: 'asked',
        ask: { path: `${invoke}/stream` },
        until: 'approval_requested',
        last: { data: { data: { approvalId: { $save: 'approval' } } } },
      },
      {
        ask: { method: 'POST', path: '/sessions/{s}/approvals/{approval}/approve', body: { decision: 'denied' } },
        answer: bad,
      },
      {
        ask: { path: invoke },
        answer: {
          status: 200,
          body: { approvals: [{ status: 'pending', args: { n: 1, _tool_call_id: { $absent: true } } }] },
        },
      },
      {
        ask: {
          method: 'POST',
          path: '/sessions/{s}/approvals/{approval}/reject',
          body: { decision: 'denied', resaon: 'x' },
        },
        answer: { status: 200, body: { decision: 'denied', warnings: [{ $match: '"resaon".*"reason"' }] } },
      },
      { answered: 'run', answer: { status: 200, body: { result: 'done' } } },
      { ask: { path: '/sessions?limit=0' }, answer: bad },
      { ask: { path: '/sessions/{s}?agnet=1' }, answer: { status: 200, body: { warnings: [{ $match: '"agent"' }] } } },
      {
        ask: { method: 'POST', path: invoke, raw: 'x', headers: { 'content-encoding': 'gzip' } },
        answer: { status: 415, body: { error: { $match: 'Content-Encoding' } } },
      },
    ],
  },
  {
    name: '[H179] a misspelt prompt is refused with its name, and begins no session',
    steps: [
      {
        ask: { method: 'POST', path: invoke, body: { promt: 'x' } },
        answer: { status: 400, body: { error: { $match: '"promt".*"prompt"' } } },
      },
      {
        ask: { method: 'POST', path: invoke, body: {} },
        answer: { status: 400, body: { error: { $match: '"prompt"' } } },
      },
      { ask: { method: 'POST', path: invoke, body: { prompt: 7 } }, answer: bad },
      {
        ask: { method: 'POST', path: invoke, headers: { prefer: 'respond-async' }, body: { promt: 'x' } },
        answer: bad,
      },
      { ask: { path: '/sessions/{s}' }, answer: { status: 404 } },
    ],
  },
  {
    name: '[H178] a list refuses a parameter that it does not know, and names the nearest one',
    steps: [
      { ask: { path: '/sessions?user=ada' }, answer: { status: 400, body: { error: { $match: '"user"' } } } },
      { ask: { path: '/sessions?limt=1' }, answer: { status: 400, body: { error: { $match: '"limt".*"limit"' } } } },
      {
        ask: { path: '/approvals?curser=1' },
        answer: { status: 400, body: { error: { $match: '"curser".*"cursor"' } } },
      },
      {
        ask: { path: '/sessions?status=idle&kind=chat&search={s}&order=created&limit=1' },
        answer: { status: 200, body: { sessions: [] } },
      },
      { ask: { path: '/approvals?status=all&limit=1' }, answer: { status: 200 } },
    ],
  },
  {
    name: '[H44] an answer names its run, and may begin before the run has ended',
    steps: [
      {
        ask: { method: 'POST', path: invoke, script: say('a') },
        answer: { status: 200, headers: { 'x-fabric-run-id': { $match: '^r-' } } },
      },
      {
        ask: { method: 'POST', path: invoke, script: [{ fail: 'no' }], headers: { prefer: 'heartbeat' } },
        answer: {
          status: 200,
          headers: { 'x-fabric-run-id': { $match: '^r-' }, 'preference-applied': 'heartbeat' },
          body: { status: 500, error: { type: 'internal_error', message: 'no' }, sessionId: '{s}' },
        },
      },
      {
        ask: { method: 'POST', path: invoke, script: [{ sleepMs: 30_000 }], headers: { prefer: 'wait=0' } },
        answer: { status: 202, headers: { location: { $match: '^/sessions/' } } },
      },
      { ask: { method: 'POST', path: '/sessions/{s}/cancel', body: {} }, answer: { status: 200 } },
      { stream: 'cancelled', ask: { path: `${invoke}/stream` }, until: 'cancelled' },
    ],
  },
  {
    name: '[H51] the prefix that a proxy removed',
    server: 'token',
    steps: [
      {
        ask: {
          method: 'POST',
          path: invoke,
          script: say('x'),
          headers: { ...bearer('right'), 'x-forwarded-prefix': '/below', prefer: 'wait=0' },
        },
        answer: {
          status: 202,
          headers: { location: { $match: '^/below/sessions/' } },
          body: { agentPath: '/below/agents/scripted/{s}' },
        },
      },
    ],
  },
  {
    name: '[H46] [H47] [H48] conditions and methods',
    steps: [
      {
        ask: {
          method: 'POST',
          path: invoke,
          script: [{ artifact: { name: 'a.txt', content: 'abc' } }],
          headers: { prefer: 'wait=0' },
        },
        answer: {
          status: 202,
          headers: { location: { $match: '^/sessions/' } },
          body: { agentPath: '/agents/scripted/{s}' },
        },
      },
      { stream: 'done', ask: { path: `${invoke}/stream` }, until: 'idle' },
      {
        ask: { path: '/sessions/{s}/artifacts/a.txt' },
        answer: { status: 200, text: 'abc', headers: { etag: { $save: 'tag' } } },
      },
      {
        ask: { path: '/sessions/{s}/artifacts/a.txt', headers: { 'if-none-match': '{tag}' } },
        answer: { status: 304 },
      },
      {
        ask: { path: '/sessions/{s}/artifacts/a.txt', headers: { 'if-range': '"old"', range: 'bytes=1-' } },
        answer: { status: 200, text: 'abc' },
      },
      { ask: { path: '/sessions/{s}/artifacts/a.txt', headers: { 'if-match': '"old"' } }, answer: { status: 412 } },
      { ask: { path: '/sessions/{s}' }, answer: { status: 200, headers: { etag: { $save: 'whole' } } } },
      { ask: { path: '/sessions/{s}', headers: { 'if-none-match': '{whole}' } }, answer: { status: 304 } },
      {
        ask: { method: 'DELETE', path: '/sessions/{s}' },
        answer: { status: 405, headers: { allow: 'GET, HEAD, OPTIONS, PATCH' } },
      },
      {
        ask: { method: 'OPTIONS', path: '/sessions' },
        answer: { status: 204, headers: { allow: { $match: 'POST' } } },
      },
    ],
  },
  {
    name: '[H65] [H67] an uploaded file is used by one session',
    steps: [
      {
        ask: {
          method: 'POST',
          path: '/files?filename=a.txt',
          headers: { 'content-type': 'text/plain' },
          raw: 'content',
        },
        answer: { status: 201, body: { ref_id: { $save: 'file' }, mime_type: 'text/plain', size_bytes: 7 } },
      },
      {
        ask: { method: 'POST', path: invoke, script: say('one'), body: { attachments: [{ ref_id: '{file}' }] } },
        answer: { status: 200, body: { result: 'one' } },
      },
      {
        ask: { method: 'POST', path: invoke, script: say('two'), body: { attachments: [{ ref_id: '{file}' }] } },
        answer: { status: 200, body: { result: 'two' } },
      },
      {
        ask: { method: 'POST', path: `${invoke}-b`, script: say('no'), body: { attachments: [{ ref_id: '{file}' }] } },
        answer: { status: 400, body: { error: { $match: '^attachments\\.0\\.ref_id: ' } } },
      },
      {
        ask: { method: 'POST', path: `${invoke}-b`, script: say('no'), body: { attachments: [{ ref_id: '{s}' }] } },
        answer: bad,
      },
      { ask: { method: 'POST', path: '/files', headers: { 'content-type': 'text/plain' }, raw: '' }, answer: bad },
    ],
  },
]
