import type { AnswerPattern, CaseRequest, ConformanceCase, Pattern } from '../case.ts'
import { caseOf, exchange, get, ok, script, shows, stream } from './steps.ts'

const send = (context: object, more: object = {}, payload: object = {}): CaseRequest => ({
  method: 'POST',
  path: '/v1/openharness',
  body: { protocol_version: '1.0.0', request: { context, ...payload }, ...more },
})
const turn = (context: object, answer: AnswerPattern, more: object = {}, payload: object = {}) =>
  exchange(send(context, more, payload), answer)
const prompt = (...steps: unknown[]) => ({ session_id: '{s}', user_intent: script(...steps) })
const says = (text: string, more: object = {}) =>
  shows({
    protocol_version: '1.0.0',
    response: { status: 'success', action_directives: [{ action_type: 'render_message', payload: { text } }] },
    ...more,
  } as Pattern)
/** An answer that saves its session or run id for later steps. */
const names = (ids: Pattern) => shows({ response: { extensions: { 'dev.bridle': ids } } })
const directs = (...action_directives: Pattern[]) =>
  shows({ response: { status: 'success', action_directives } } as Pattern)
const cardAndAction = script(
  { directive: { action_type: 'render_ui', payload: { component: 'Chart', fallback_message: 'A chart.' } } },
  { directive: { action_type: 'com.example.show', execution: 'parallel' } },
)
const fails = (status: number, code: string, details: Pattern = {}) => ({
  status,
  body: { response: { status: 'error', error: { code, details } } },
})

/** The assistant needs an API key to run. Importing an empty session gives it a session without one. */
const lineOfTheAssistant = [
  '{"bridle":"export","version":1,"created_by":"bridle"}',
  '{"session":{"id":"conformance-line","agent":"assistant","kind":"chat"}}',
  '{"seq":1,"at":1795062556688,"type":"session_created","payload":{"kind":"chat","agent":"assistant","max_retries":0,"expires_at":null}}',
  '{"end":{"sessions":1,"entries":1,"digest":"sha256:7fc7d85d357ab9af4d57eb6713e88621034cabc4b323f46a61b0a1d9a4dee334"}}',
  '',
].join('\n')
/** Calls the scripted agent into another agent's conversation line. */
const scripted = { task_hint: { plugin_id: 'scripted' } }
const STREAMING = { 'openharness.streaming': true }
const told: Pattern = [
  { action_type: 'render_message', payload: { text: 'One ' } },
  { action_type: 'com.example.ping', payload: { at: 1 } },
  { action_type: 'render_message', payload: { text: 'two' } },
]
const streamed = (session_id: string, request_id: string): CaseRequest => {
  const ping = { action_type: 'com.example.ping', payload: { at: 1 } }
  const steps = script({ text: 'One ' }, { directive: ping }, { text: 'two' })
  return {
    ...send({ session_id, user_intent: steps }, { request_id, capabilities: STREAMING }),
    headers: { accept: 'text/event-stream' },
  }
}
const feedback = (id: string, request_id: string, outcome = 'executed'): CaseRequest =>
  send(
    { session_id: '{s}' },
    { request_id: id, capabilities: { 'openharness.execution_feedback': true } },
    { extensions: { 'openharness.execution_feedback': [{ request_id, index: 0, outcome }] } },
  )
const conflict = shows({ response: { error: { code: 'request_id_conflict' } } }, 409)
const nothing: Pattern = { response: { status: 'success', action_directives: [] } }

export const openharnessCases: readonly ConformanceCase[] = [
  caseOf('[OH6] a turn echoes its ids, and its session is that of every wire', [
    turn(
      prompt({ text: 'Hello' }),
      {
        ...says('Hello', { request_id: 'req-1', correlation_id: 'corr-1', supported_protocol_versions: ['1.0.0'] }),
        headers: { 'x-bridle-session': '{s}', 'x-request-id': 'req-1', 'x-correlation-id': 'corr-1' },
      },
      { request_id: 'req-1', correlation_id: 'corr-1' },
    ),
    get('/sessions/{s}', shows({ messages: { $length: 2 } })),
  ]),
  caseOf('[OH3] unknown fields are ignored at every level', [
    turn(
      { session_id: '{s}', user_intent: script({ text: 'Hello' }), mood: 'calm' },
      says('Hello', { request_id: 'req-1' }),
      { request_id: 'req-1', priority: 7 },
      { hints: [1, 2] },
    ),
  ]),
  caseOf('[OH11] a turn that names no session gets a new one', [
    turn({ user_intent: script({ text: 'Hello' }) }, names({ session_id: { $save: 'made' } })),
    get('/sessions/{made}', ok),
  ]),
  caseOf('[OH12] a request is made once', [
    turn(prompt({ text: 'One' }), says('One'), { request_id: 'once' }),
    turn(prompt({ text: 'One' }), says('One'), { request_id: 'once' }),
    turn(
      prompt({ text: 'Two' }),
      shows({ response: { error: { code: 'request_id_conflict', retryable: false } } }, 409),
      { request_id: 'once' },
    ),
    get('/sessions/{s}', shows({ messages: { $length: 2 } })),
  ]),
  caseOf('[OH22] a conversation is branched from its session', [
    turn(prompt({ text: 'One' }), says('One')),
    turn(
      { session_id: '{s}', conversation_id: 'tab', user_intent: script({ text: 'Two' }) },
      names({ session_id: { $save: 'child' } }),
    ),
    turn({ session_id: '{s}', conversation_id: 'tab', user_intent: script({ text: 'Three' }) }, says('Three')),
    get('/sessions/{child}', shows({ messages: { $length: 6 } })),
    get('/sessions/{s}', shows({ messages: { $length: 2 } })),
  ]),
  caseOf('[OH145] a hint for another agent has a session beside the line, which stays the line’s own', [
    exchange(
      { method: 'POST', path: '/import', raw: lineOfTheAssistant },
      shows({ sessions: [{ id: { $save: 'made' } }] }),
    ),
    turn(
      { session_id: '{made}', ...scripted, user_intent: script({ text: 'One' }) },
      shows({
        response: {
          action_directives: [{ payload: { text: 'One' } }],
          extensions: { 'dev.bridle': { session_id: { $save: 'child' } } },
        },
      }),
      { request_id: 'one' },
    ),
    get('/sessions/{child}', shows({ agent: 'scripted', parent_session_id: '{made}', messages: { $length: 2 } })),
    get('/sessions/{made}', shows({ agent: 'assistant', messages: { $length: 0 } })),
    turn(
      {
        session_id: '{made}',
        ...scripted,
        user_intent: script({ approve: 'write' }, { text: 'Written' }),
      },
      shows({
        response: {
          action_directives: [{ payload: { options: [{ continuation_token: { $save: 'yes' } }, { id: 'deny' }] } }],
        },
      }),
    ),
    turn(
      { session_id: '{made}', continuation: { continuation_token: '{yes}' } },
      {
        ...says('Written'),
        headers: { 'x-bridle-session': '{child}' },
      },
    ),
    turn(
      { session_id: '{made}', ...scripted, user_intent: script({ text: 'One' }) },
      {
        ...says('One'),
        headers: { 'x-bridle-session': '{child}' },
      },
      { request_id: 'one' },
    ),
    get('/sessions/{child}', shows({ messages: { $length: 4 } })),
  ]),
  caseOf('[OH143] a run_id alone says how its run stands', [
    turn(prompt({ text: 'One' }), names({ run_id: { $save: 'run' } })),
    turn({ session_id: '{s}', continuation: { run_id: '{run}' } }, says('One')),
    turn(
      { session_id: '{s}', user_intent: script({ text: 'Two' }), continuation: { run_id: 'r-99' } },
      shows({ response: { error: { code: 'continuation_expired', retryable: false } } }, 410),
    ),
    get('/sessions/{s}', shows({ messages: { $length: 2 } })),
  ]),
  caseOf('[OH146] attachments alone are a prompt', [
    turn({ session_id: '{s}', attachments: [{ asset_id: 'a1', filename: script({ text: 'Read' }) }] }, says('Read')),
  ]),
  caseOf(
    '[OH12] a second try may come from a device that has changed',
    ['a', 'b'].map((screen_hash) =>
      turn(
        {
          ...prompt({ text: 'One' }),
          ...{ environment_state: { privacy_tier: 'public', screen_hash }, shell: { shell_version: screen_hash } },
        },
        says('One'),
        { request_id: 'once' },
      ),
    ),
  ),
  caseOf('[OH147] a question says what its user can do, to a shell that cannot show it', [
    turn(
      prompt({ approve: 'write' }),
      directs({ action_type: 'request_approval', payload: { fallback_message: { $any: true } } }),
    ),
  ]),
  caseOf('[OH20] a question is answered by its token, which knows its session, and once', [
    turn(
      prompt({ approve: 'write' }, { text: 'Written' }),
      shows({
        response: {
          action_directives: [
            {
              action_type: 'request_approval',
              payload: {
                tool: 'write',
                options: [
                  { id: 'approve', continuation_token: { $save: 'yes' } },
                  { id: 'deny', continuation_token: { $save: 'no' } },
                ],
              },
            },
          ],
        },
      }),
    ),
    turn(
      { continuation: { continuation_token: '{yes}' } },
      {
        ...says('Written'),
        headers: { 'x-bridle-session': '{s}' },
      },
      { request_id: 'yes' },
    ),
    turn(prompt({ text: 'New' }), conflict, { request_id: 'yes' }),
    turn(
      { continuation: { continuation_token: '{no}' } },
      shows({ response: { error: { code: 'continuation_used' } } }, 409),
      { request_id: 'no' },
    ),
    turn(
      { session_id: '{s}', continuation: { continuation_token: 'ctok_aq9' } },
      fails(400, 'invalid_request', { field: 'context.continuation.continuation_token' }),
    ),
  ]),
  caseOf('[OH130] cards and parallel groups reach only shells that have them', [
    turn(
      { session_id: '{s}', user_intent: cardAndAction },
      directs(
        { action_type: 'render_ui', payload: { component: 'Chart' } },
        { action_type: 'com.example.show', execution: 'parallel' },
      ),
      { capabilities: { 'openharness.actions.parallel': true, 'openharness.ui.rich_cards': true } },
    ),
    turn(
      { session_id: '{s}', user_intent: cardAndAction },
      directs(
        { action_type: 'render_message', payload: { text: 'A chart.' } },
        { action_type: 'com.example.show', execution: 'sequential' },
      ),
    ),
  ]),
  caseOf('[OH83] a stream ends with the message that a request without the profile gets', [
    {
      stream: 'all',
      ask: streamed('{s}', 'req-1'),
      until: 'final',
      last: {
        id: { $any: true },
        data: { message: { request_id: 'req-1', response: { status: 'success', action_directives: told } } },
      },
    },
    exchange(
      { ...streamed('{s}', 'req-1'), headers: {} },
      shows({ request_id: 'req-1', response: { action_directives: told } }),
    ),
    get('/sessions/{s}', shows({ messages: { $length: 2 } })),
  ]),
  caseOf('[OH120] [OH82] directives stream, and a reader goes on behind a frame', [
    {
      stream: 'first',
      ask: streamed('{s}', 'req-1'),
      until: 'partial',
      last: { id: { $save: 'first' }, data: { changes: { $any: true } } },
    },
    {
      stream: 'rest',
      ask: { ...streamed('{s}', 'req-1'), headers: { accept: 'text/event-stream', 'last-event-id': '{first}' } },
      until: 'final',
      last: { data: { message: { response: { action_directives: told } } } },
    },
    exchange(
      { ...streamed('{s}', 'req-1'), headers: { accept: 'text/event-stream', 'last-event-id': 'nonsense' } },
      fails(400, 'invalid_request', { field: 'last-event-id' }),
    ),
  ]),
  caseOf('[OH84] a question ends the stream', [
    {
      stream: 'asked',
      ask: {
        ...send(prompt({ text: 'May I?' }, { approve: 'write' }), { request_id: 'req-1', capabilities: STREAMING }),
        headers: { accept: 'text/event-stream' },
      },
      until: 'final',
      last: {
        data: {
          message: {
            response: { action_directives: [{ payload: { text: 'May I?' } }, { action_type: 'request_approval' }] },
          },
        },
      },
    },
  ]),
  caseOf('[OH124] [OH125] feedback comes in a request of its own, once, and is an event', [
    turn(prompt({ text: 'One' }), says('One'), { request_id: 'req-1' }),
    exchange(feedback('report', 'req-1'), shows(nothing)),
    exchange(feedback('report', 'req-1'), shows(nothing)),
    stream('events', 'execution_feedback', {
      last: { data: { data: { entries: [{ request_id: 'req-1', index: 0, outcome: 'executed' }] } } },
    }),
    get('/sessions/{s}', shows({ messages: { $length: 2 } })),
  ]),
  caseOf('[OH93] [OH126] feedback that is wrong is refused, and feedback on nothing is left out', [
    turn(prompt({ text: 'One' }), says('One'), { request_id: 'req-1' }),
    exchange(feedback('report', 'elsewhere'), shows(nothing)),
    exchange(
      feedback('wrong', 'req-1', 'lost'),
      fails(400, 'invalid_request', { field: 'extensions.openharness.execution_feedback.0.outcome' }),
    ),
    exchange(feedback('req-1', 'req-1'), conflict),
  ]),
  caseOf('[OH8] every mistake gets a whole envelope', [
    turn({ session_id: '{s}' }, fails(400, 'invalid_request', { field: 'context.user_intent' })),
    turn(
      { environment_state: { privacy_tier: 'odd' } },
      fails(400, 'invalid_request', { field: 'context.environment_state.privacy_tier' }),
    ),
    exchange(
      { method: 'POST', path: '/openharness', raw: 'nonsense' },
      fails(400, 'invalid_request', { field: 'body' }),
    ),
    get('/v1/openharness', fails(405, 'invalid_request', { field: 'method' })),
    turn({ user_intent: 'x' }, shows({ response: { error: { code: 'protocol_version_unsupported' } } }, 400), {
      protocol_version: '2.0.0',
    }),
  ]),
]
