import type { ConformanceCase } from '../case.ts'
import { caseOf, exchange, get, ok, post, remove, script, shows, status, stream } from './steps.ts'

const branching = '/chat/sessions/{s}/branch'
const events = '/chat/sessions/{s}/events/stream'
const bad = shows({ error: { $any: true } }, 400)

export const frontendCases: readonly ConformanceCase[] = [
  caseOf('[F1] every event that a frontend may meet is listed', [
    get('/stream-events', shows({ types: { $any: true } })),
  ]),
  caseOf('[F6] a chat is made, asked, looked at and branched', [
    post(
      '/chat/sessions',
      { agent: 'scripted', session_id: '{s}' },
      shows({ session_id: '{s}', health: { score: 100 } }, 201),
    ),
    post('/chat/sessions/{s}/turns', { prompt: script({ text: 'Hello' }) }, shows({ turn_id: { $any: true } }, 202)),
    stream('told', 'turn_end', { path: events }),
    get('/chat/sessions/{s}', shows({ resume_points: { $any: true }, channel: { channel_id: 'session:{s}' } })),
    post(branching, { from_event_id: 'ev-9999' }, bad),
    post(branching, { from_event_id: 'ev-2~2' }, bad),
  ]),
  caseOf(
    '[F20] [F21] a turn that ends over its budget lowers the score at once; the question of the next one takes no other arguments',
    [
      post(
        '/chat/sessions',
        { agent: 'scripted', session_id: '{s}', policy: { health: { max_cost_usd: 1 } } },
        status(201),
      ),
      post('/chat/sessions/{s}/turns', { prompt: script({ text: 'Hello' }, { usage: { cost_usd: 2 } }) }, status(202)),
      stream('first', 'turn_end', { path: events }),
      get(
        '/chat/sessions/{s}',
        shows({ status: 'idle', health: { score: 80, flags: ['budget'], budget_pressure: { level: 'crossed' } } }),
      ),
      post('/chat/sessions/{s}/turns', { prompt: script({ text: 'More' }) }, status(202)),
      stream('second', 'approval_required', {
        path: events,
        last: { data: { payload: { request_id: { $save: 'approval' }, kind: 'budget' } } },
      }),
      post('/sessions/{s}/approvals/{approval}/approve', { args: { subject: 'max_total_tokens' } }, bad),
      post('/sessions/{s}/approvals/{approval}/approve', {}, shows({ decision: 'approved' })),
    ],
  ),
  caseOf('[F31] an id that was removed and branched again is another incarnation', [
    post('/agents/scripted/{s}', { prompt: script({ text: 'one' }) }, ok),
    post('/agents/scripted/{s}', { prompt: script({ text: 'two' }) }, ok),
    post(
      branching,
      { from_event_id: 'ev-2', session_id: '{s}-child' },
      shows({ lastEventId: { $match: '^ev-[0-9]+$' } }, 201),
    ),
    remove('/agents/scripted/{s}-child', ok),
    get('/sessions/{s}', shows({ lastEventId: { $save: 'head' } })),
    post(
      branching,
      { from_event_id: '{head}', session_id: '{s}-child' },
      shows({ branch_source_event_id: '{head}', lastEventId: { $match: '^ev-[0-9]+~2$' } }, 201),
    ),
    get('/sessions?search={s}-child', shows({ sessions: [{ lastEventId: { $match: '~2$' } }] })),
    stream('old', 'session', {
      path: '/sessions/{s}-child/events/stream?after=ev-4',
      last: { data: { seq: 0, payload: { reset: true } } },
    }),
    stream('new', 'session_state', {
      path: '/sessions/{s}-child/events/stream?after=ev-4~2',
      last: { id: { $match: '^[0-9]+~2$' } },
    }),
  ]),
  caseOf('[F6] a chat without a name gets one, and asking again with the same key finds it', [
    post('/chat/sessions', { agent: 'scripted' }, shows({ session_id: { $save: 'made' } }, 201), {
      'idempotency-key': '{s}',
    }),
    post('/chat/sessions', { agent: 'scripted' }, shows({ session_id: '{made}' }, 201), { 'idempotency-key': '{s}' }),
    get('/chat/sessions/{made}', shows({ session_id: '{made}' })),
  ]),
  caseOf('[F6] one without name and key is made all the same', [
    post('/chat/sessions', { agent: 'scripted' }, shows({ session_id: { $save: 'made' } }, 201)),
    get('/sessions/{made}', shows({ session_id: '{made}' })),
  ]),
  caseOf('[F12] background work is started, watched to its end, and cannot be paused then', [
    post(
      '/sessions',
      { session_id: '{s}', engine: 'scripted', prompt: script({ text: 'Done' }) },
      shows({ session_id: '{s}', kind: 'background', health: { $any: true } }, 202),
    ),
    stream('told', 'turn_end', { path: '/sessions/{s}/events/stream' }),
    get('/sessions/{s}', shows({ status: 'completed', checkpoints: { $any: true } })),
    get('/sessions/{s}/health', ok),
    post('/sessions/{s}/pause', {}, status(409)),
    post('/sessions/{s}/signal', { name: 'go' }, status(409)),
  ]),
  caseOf('[F42] [H60] text that a retry replaces is withdrawn on both kinds of stream', [
    post(
      '/sessions',
      {
        ...{ session_id: '{s}', engine: 'scripted', max_retries: 1 },
        prompt: script({ text: 'Half' }, { fail: 'broke', transient: true }),
      },
      status(202),
    ),
    stream('contract', 'output_superseded', {
      path: '/sessions/{s}/events/stream',
      last: { data: { payload: { attempt: 1, keep: { $absent: true } } } },
    }),
    stream('fabric', 'artifact_published', {
      types: ['prompt_start', 'text_delta', 'text_superseded', 'text_delta', 'artifact_published'],
    }),
  ]),
  caseOf('[F14] a chat shows what background sessions that hang from it have left, and no other', [
    post('/chat/sessions', { agent: 'scripted', session_id: '{s}' }, shows({ session_id: '{s}' }, 201)),
    ...['{s}-one', '{s}-two', '{s}-other'].flatMap((id): ConformanceCase['steps'] => [
      post(
        '/sessions',
        {
          session_id: id,
          engine: 'scripted',
          prompt: script({ text: id }),
          ...(!id.endsWith('other') && { parent_session_id: '{s}' }),
        },
        shows({ session_id: id }, 202),
      ),
      stream(id, 'turn_end', { path: `/sessions/${id}/events/stream` }),
      get(`/sessions/${id}`, shows({ status: 'completed' })),
    ]),
    get(
      '/chat/sessions/{s}',
      shows({
        background_artifacts: [
          { session_id: '{s}-two', artifact_type: 'final_output', size: { $any: true } },
          { session_id: '{s}-two', artifact_type: 'run_record', event_id: { $match: '^ev-' } },
          { session_id: '{s}-one', artifact_type: 'final_output' },
          { session_id: '{s}-one', artifact_type: 'run_record' },
        ],
      }),
    ),
    remove('/agents/scripted/{s}-two', ok),
    get('/chat/sessions/{s}', shows({ background_artifacts: { $length: 2 } })),
  ]),
  caseOf('[F12] a parent that is not there, an agent that is not there, a prompt that is none', [
    post('/sessions', { prompt: 'x', engine: 'scripted', parent_session_id: '{s}' }, bad),
    post('/sessions', { prompt: 'x', agent: 'nobody' }, bad),
    post('/sessions', { engine: 'scripted' }, bad),
    exchange({ method: 'POST', path: '/sessions', raw: '{' }, bad),
    get('/chat/sessions/{s}', status(404)),
  ]),
  caseOf('[F43] [F48] [F49] [F50] what an agent reports is in details and rows, and the channel has pages', [
    post(
      '/sessions',
      {
        session_id: '{s}',
        engine: 'scripted',
        prompt: script(
          { usage: { input_tokens: 10, output_tokens: 2, cost_usd: 0.5 } },
          { event: { type: 'step_progress', payload: { step_id: 'one', status: 'completed', summary: 'First' } } },
          { event: { type: 'retrieval', payload: { query: 'q', citations: [{ id: 'd' }] } } },
          { text: 'Done' },
        ),
      },
      status(202),
    ),
    stream('told', 'turn_end', { path: '/sessions/{s}/events/stream?omit=token,thinking' }),
    get(
      '/sessions/{s}?omit=channel',
      shows({
        usage: { total_tokens: 12, cost_usd: 0.5, model_calls: 1 },
        steps: [{ step: 'one', title: 'First', status: 'completed', event_id: { $match: '^ev-' } }],
        step: { index: 1, total: null, title: 'First', status: 'completed' },
        citations: [{ id: 'd', event_id: { $match: '^ev-' } }],
        context_pack: { query: 'q' },
        guardrail: null,
        context_warnings: [],
        compactions: [],
        instructions: null,
        memory_proposals: [],
        resume_points: { $any: true },
        channel: { $absent: true },
      }),
    ),
    get('/sessions/{s}/channel?limit=1', shows({ envelopes: { $length: 1 }, next: { $save: 'next' } })),
    get('/sessions/{s}/channel?limit=2&before={next}', shows({ envelopes: { $length: 2 }, next: { $match: '^ev-' } })),
    get('/sessions/{s}/channel?before=odd', bad),
    get(
      '/sessions?search={s}',
      shows({
        sessions: [
          {
            usage: { total_tokens: 12, cost_usd: 0.5 },
            step: { index: 1, title: 'First' },
            model: null,
            retry_at: null,
            messages: 2,
          },
        ],
      }),
    ),
  ]),
]
