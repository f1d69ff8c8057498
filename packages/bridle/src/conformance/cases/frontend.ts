// docs/protocol/frontend.md: chat, background sessions, branches and health.
import type { ConformanceCase } from '../case.ts'

const bad = { status: 400, body: { error: { $any: true } } } as const
const ok = { status: 200 } as const
const script = (...steps: unknown[]) => `@script ${JSON.stringify(steps)}`

export const frontendCases: readonly ConformanceCase[] = [
  {
    name: '[F1] every event that a frontend may meet is listed',
    steps: [{ ask: { path: '/stream-events' }, answer: { status: 200, body: { types: { $any: true } } } }],
  },
  {
    name: '[F6] a chat is made, asked, looked at and branched',
    steps: [
      {
        ask: { method: 'POST', path: '/chat/sessions', body: { agent: 'scripted', session_id: '{s}' } },
        answer: { status: 201, body: { session_id: '{s}', health: { score: 100 } } },
      },
      {
        ask: { method: 'POST', path: '/chat/sessions/{s}/turns', body: { prompt: script({ text: 'Hello' }) } },
        answer: { status: 202, body: { turn_id: { $any: true } } },
      },
      { stream: 'told', ask: { path: '/chat/sessions/{s}/events/stream' }, until: 'turn_end' },
      {
        ask: { path: '/chat/sessions/{s}' },
        answer: { status: 200, body: { resume_points: { $any: true }, channel: { channel_id: 'session:{s}' } } },
      },
      {
        ask: { method: 'POST', path: '/chat/sessions/{s}/branch', body: { from_event_id: 'ev-9999' } },
        answer: bad,
      },
      {
        ask: { method: 'POST', path: '/chat/sessions/{s}/branch', body: { from_event_id: 'ev-2~2' } },
        answer: bad,
      },
    ],
  },
  {
    name: '[F20] [F21] a turn that ends over its budget lowers the score at once; the question of the next one takes no other arguments',
    steps: [
      {
        ask: {
          method: 'POST',
          path: '/chat/sessions',
          body: { agent: 'scripted', session_id: '{s}', policy: { health: { max_cost_usd: 1 } } },
        },
        answer: { status: 201 },
      },
      {
        ask: {
          method: 'POST',
          path: '/chat/sessions/{s}/turns',
          body: { prompt: script({ text: 'Hello' }, { usage: { cost_usd: 2 } }) },
        },
        answer: { status: 202 },
      },
      { stream: 'first', ask: { path: '/chat/sessions/{s}/events/stream' }, until: 'turn_end' },
      {
        ask: { path: '/chat/sessions/{s}' },
        answer: {
          status: 200,
          body: { status: 'idle', health: { score: 80, flags: ['budget'], budget_pressure: { level: 'crossed' } } },
        },
      },
      {
        ask: { method: 'POST', path: '/chat/sessions/{s}/turns', body: { prompt: script({ text: 'More' }) } },
        answer: { status: 202 },
      },
      {
        stream: 'second',
        ask: { path: '/chat/sessions/{s}/events/stream' },
        until: 'approval_required',
        last: { data: { payload: { request_id: { $save: 'approval' }, kind: 'budget' } } },
      },
      {
        ask: {
          method: 'POST',
          path: '/sessions/{s}/approvals/{approval}/approve',
          body: { args: { subject: 'max_total_tokens' } },
        },
        answer: bad,
      },
      {
        ask: { method: 'POST', path: '/sessions/{s}/approvals/{approval}/approve', body: {} },
        answer: { status: 200, body: { decision: 'approved' } },
      },
    ],
  },
  {
    name: '[F31] an id that was removed and branched again is another incarnation',
    steps: [
      { ask: { method: 'POST', path: '/agents/scripted/{s}', body: { prompt: script({ text: 'one' }) } }, answer: ok },
      { ask: { method: 'POST', path: '/agents/scripted/{s}', body: { prompt: script({ text: 'two' }) } }, answer: ok },
      {
        ask: {
          method: 'POST',
          path: '/chat/sessions/{s}/branch',
          body: { from_event_id: 'ev-2', session_id: '{s}-child' },
        },
        answer: { status: 201, body: { lastEventId: { $match: '^ev-[0-9]+$' } } },
      },
      { ask: { method: 'DELETE', path: '/agents/scripted/{s}-child' }, answer: ok },
      { ask: { path: '/sessions/{s}' }, answer: { status: 200, body: { lastEventId: { $save: 'head' } } } },
      {
        ask: {
          method: 'POST',
          path: '/chat/sessions/{s}/branch',
          body: { from_event_id: '{head}', session_id: '{s}-child' },
        },
        answer: {
          status: 201,
          body: { branch_source_event_id: '{head}', lastEventId: { $match: '^ev-[0-9]+~2$' } },
        },
      },
      {
        ask: { path: '/sessions?search={s}-child' },
        answer: { status: 200, body: { sessions: [{ lastEventId: { $match: '~2$' } }] } },
      },
      {
        stream: 'old',
        ask: { path: '/sessions/{s}-child/events/stream?after=ev-4' },
        until: 'session',
        last: { data: { seq: 0, payload: { reset: true } } },
      },
      {
        stream: 'new',
        ask: { path: '/sessions/{s}-child/events/stream?after=ev-4~2' },
        until: 'session_state',
        last: { id: { $match: '^[0-9]+~2$' } },
      },
    ],
  },
  {
    name: '[F6] a chat without a name gets one, and asking again with the same key finds it',
    steps: [
      {
        ask: {
          method: 'POST',
          path: '/chat/sessions',
          headers: { 'idempotency-key': '{s}' },
          body: { agent: 'scripted' },
        },
        answer: { status: 201, body: { session_id: { $save: 'made' } } },
      },
      {
        ask: {
          method: 'POST',
          path: '/chat/sessions',
          headers: { 'idempotency-key': '{s}' },
          body: { agent: 'scripted' },
        },
        answer: { status: 201, body: { session_id: '{made}' } },
      },
      { ask: { path: '/chat/sessions/{made}' }, answer: { status: 200, body: { session_id: '{made}' } } },
    ],
  },
  {
    name: '[F6] one without name and key is made all the same',
    steps: [
      {
        ask: { method: 'POST', path: '/chat/sessions', body: { agent: 'scripted' } },
        answer: { status: 201, body: { session_id: { $save: 'made' } } },
      },
      { ask: { path: '/sessions/{made}' }, answer: { status: 200, body: { session_id: '{made}' } } },
    ],
  },
  {
    name: '[F12] background work is started, watched to its end, and cannot be paused then',
    steps: [
      {
        ask: {
          method: 'POST',
          path: '/sessions',
          body: { session_id: '{s}', engine: 'scripted', prompt: script({ text: 'Done' }) },
        },
        answer: { status: 202, body: { session_id: '{s}', kind: 'background', health: { $any: true } } },
      },
      { stream: 'told', ask: { path: '/sessions/{s}/events/stream' }, until: 'turn_end' },
      {
        ask: { path: '/sessions/{s}' },
        answer: { status: 200, body: { status: 'completed', checkpoints: { $any: true } } },
      },
      { ask: { path: '/sessions/{s}/health' }, answer: { status: 200 } },
      { ask: { method: 'POST', path: '/sessions/{s}/pause', body: {} }, answer: { status: 409 } },
      { ask: { method: 'POST', path: '/sessions/{s}/signal', body: { name: 'go' } }, answer: { status: 409 } },
    ],
  },
  {
    name: '[F42] [H60] text that a retry replaces is withdrawn on both kinds of stream',
    steps: [
      {
        ask: {
          method: 'POST',
          path: '/sessions',
          body: {
            ...{ session_id: '{s}', engine: 'scripted', max_retries: 1 },
            prompt: script({ text: 'Half' }, { fail: 'broke', transient: true }),
          },
        },
        answer: { status: 202 },
      },
      {
        stream: 'contract',
        ask: { path: '/sessions/{s}/events/stream' },
        until: 'output_superseded',
        last: { data: { payload: { attempt: 1, keep: { $absent: true } } } },
      },
      {
        stream: 'fabric',
        ask: { path: '/agents/scripted/{s}/stream' },
        until: 'artifact_published',
        types: ['prompt_start', 'text_delta', 'text_superseded', 'text_delta', 'artifact_published'],
      },
    ],
  },
  {
    name: '[F14] a chat shows what background sessions that hang from it have left, and no other',
    steps: [
      {
        ask: { method: 'POST', path: '/chat/sessions', body: { agent: 'scripted', session_id: '{s}' } },
        answer: { status: 201, body: { session_id: '{s}' } },
      },
      ...['{s}-one', '{s}-two', '{s}-other'].flatMap((id): ConformanceCase['steps'] => [
        {
          ask: {
            method: 'POST',
            path: '/sessions',
            body: {
              session_id: id,
              engine: 'scripted',
              prompt: script({ text: id }),
              ...(!id.endsWith('other') && { parent_session_id: '{s}' }),
            },
          },
          answer: { status: 202, body: { session_id: id } },
        },
        { stream: id, ask: { path: `/sessions/${id}/events/stream` }, until: 'turn_end' },
        { ask: { path: `/sessions/${id}` }, answer: { status: 200, body: { status: 'completed' } } },
      ]),
      {
        ask: { path: '/chat/sessions/{s}' },
        answer: {
          status: 200,
          body: {
            background_artifacts: [
              { session_id: '{s}-two', artifact_type: 'final_output', size: { $any: true } },
              { session_id: '{s}-two', artifact_type: 'run_record', event_id: { $match: '^ev-' } },
              { session_id: '{s}-one', artifact_type: 'final_output' },
              { session_id: '{s}-one', artifact_type: 'run_record' },
            ],
          },
        },
      },
      {
        ask: { method: 'DELETE', path: '/agents/scripted/{s}-two' },
        answer: { status: 200 },
      },
      {
        ask: { path: '/chat/sessions/{s}' },
        answer: { status: 200, body: { background_artifacts: { $length: 2 } } },
      },
    ],
  },
  {
    name: '[F12] a parent that is not there, an agent that is not there, a prompt that is none',
    steps: [
      {
        ask: { method: 'POST', path: '/sessions', body: { prompt: 'x', engine: 'scripted', parent_session_id: '{s}' } },
        answer: bad,
      },
      { ask: { method: 'POST', path: '/sessions', body: { prompt: 'x', agent: 'nobody' } }, answer: bad },
      { ask: { method: 'POST', path: '/sessions', body: { engine: 'scripted' } }, answer: bad },
      { ask: { method: 'POST', path: '/sessions', raw: '{' }, answer: bad },
      { ask: { path: '/chat/sessions/{s}' }, answer: { status: 404 } },
    ],
  },
  {
    name: '[F43] [F48] [F49] [F50] what an agent reports is in details and rows, and the channel has pages',
    steps: [
      {
        ask: {
          method: 'POST',
          path: '/sessions',
          body: {
            session_id: '{s}',
            engine: 'scripted',
            prompt: script(
              { usage: { input_tokens: 10, output_tokens: 2, cost_usd: 0.5 } },
              { event: { type: 'step_progress', payload: { step_id: 'one', status: 'completed', summary: 'First' } } },
              { event: { type: 'retrieval', payload: { query: 'q', citations: [{ id: 'd' }] } } },
              { text: 'Done' },
            ),
          },
        },
        answer: { status: 202 },
      },
      { stream: 'told', ask: { path: '/sessions/{s}/events/stream?omit=token,thinking' }, until: 'turn_end' },
      {
        ask: { path: '/sessions/{s}?omit=channel' },
        answer: {
          status: 200,
          body: {
            usage: { total_tokens: 12, cost_usd: 0.5, model_calls: 1 },
            steps: [{ step: 'one', title: 'First', status: 'completed', event_id: { $match: '^ev-' } }],
            step: { index: 1, total: null, title: 'First', status: 'completed' },
            citations: [{ id: 'd', event_id: { $match: '^ev-' } }],
            context_pack: { query: 'q' },
            guardrail: null,
            context_warnings: [],
            compactions: [],
            memory_proposals: [],
            resume_points: { $any: true },
            channel: { $absent: true },
          },
        },
      },
      {
        ask: { path: '/sessions/{s}/channel?limit=1' },
        answer: { status: 200, body: { envelopes: { $length: 1 }, next: { $save: 'next' } } },
      },
      {
        ask: { path: '/sessions/{s}/channel?limit=2&before={next}' },
        answer: { status: 200, body: { envelopes: { $length: 2 }, next: { $match: '^ev-' } } },
      },
      { ask: { path: '/sessions/{s}/channel?before=odd' }, answer: bad },
      {
        ask: { path: '/sessions?search={s}' },
        answer: {
          status: 200,
          body: {
            sessions: [
              {
                usage: { total_tokens: 12, cost_usd: 0.5 },
                step: { index: 1, title: 'First' },
                model: null,
                retry_at: null,
                messages: 2,
              },
            ],
          },
        },
      },
    ],
  },
]
