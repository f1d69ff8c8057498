import { catalogue, type EventType } from '@bridle/events/catalogue'
import type { AnyEvent } from '@bridle/kernel/event'
import { isEvent } from '@bridle/wire/fabric/wire'
import { expect, test } from 'vitest'
import { agentEvent, streamAudience } from './codec.ts'

const key = { tenant: 't', agent: 'a', id: 's1' }
const event = (type: EventType, payload: object, seq = 7): AnyEvent =>
  ({ seq, at: 0, type, payload }) as unknown as AnyEvent

test.each<[EventType, object, string, object]>([
  ['turn_start', { turn_id: 'r-1', prompt: 'Triage' }, 'prompt_start', { text: 'Triage', runId: 'r-1' }],
  ['token', { text: 'Hi' }, 'text_delta', { delta: 'Hi' }],
  [
    'output_superseded',
    { run_id: 'r-2', attempt: 1, keep: { chars: 7, parts: 3, thinking_chars: 2 } },
    'text_superseded',
    { runId: 'r-2', chars: 7, thinkingChars: 2 },
  ],
  ['output_superseded', { run_id: 'r-2', attempt: 1 }, 'text_superseded', { runId: 'r-2', chars: 0, thinkingChars: 0 }],
  ['thinking', { text: 'hm' }, 'thinking_delta', { delta: 'hm' }],
  ['reflection', { text: 'hm' }, 'thinking_delta', { delta: 'hm' }],
  [
    'tool_call',
    { name: 'bash', arguments: { command: 'ls', _tool_call_id: 'c1' }, tool_call_id: 'c1' },
    'tool_start',
    { toolName: 'bash', args: { command: 'ls' }, toolCallId: 'c1' },
  ],
  [
    'tool_outcome',
    { tool_call_id: 'c1', tool_name: 'bash', outcome_type: 'ToolExecutionResult', status: 'ok', result: { a: 1 } },
    'tool_end',
    { toolName: 'bash', toolCallId: 'c1', isError: false, result: { a: 1 }, outcome: { status: 'ok' } },
  ],
  [
    'tool_outcome',
    { tool_call_id: 'c1', tool_name: 'bash', outcome_type: 'ToolDenied', status: 'denied', reason: 'no' },
    'tool_end',
    { toolName: 'bash', toolCallId: 'c1', isError: true, result: 'no', outcome: { status: 'denied', reason: 'no' } },
  ],
  ['subagent_event', { agent_id: 'sub', status: 'started' }, 'task_start', { taskId: 'sub', status: 'started' }],
  [
    'subagent_event',
    { agent_id: 'sub', status: 'failed' },
    'task_end',
    { taskId: 'sub', status: 'failed', isError: true },
  ],
  [
    'approval_required',
    {
      request_id: 'apr-1',
      tool_call_id: 'c1',
      tool_name: 'write',
      reason: 'why',
      arguments: { p: 1 },
      expires_at: null,
    },
    'approval_requested',
    {
      ...{ approvalId: 'apr-1', kind: 'tool', subject: 'write', toolCallId: 'c1' },
      ...{ reason: 'why', args: { p: 1 }, expiresAt: null },
    },
  ],
  [
    'approval_required',
    {
      ...{
        request_id: 'apr-1',
        tool_call_id: 'c1',
        tool_name: 'ask',
        reason: 'Which?',
        arguments: {},
        kind: 'question',
      },
      ...{ questions: [{ id: 'db', question: 'Which?', allow_free_text: true }], default: { db: 'a' } },
      default_digest: 'd',
    },
    'approval_requested',
    {
      ...{ approvalId: 'apr-1', kind: 'question', subject: 'ask', toolCallId: 'c1', reason: 'Which?', args: {} },
      ...{ questions: [{ id: 'db', question: 'Which?', allow_free_text: true }], default: { db: 'a' } },
      expiresAt: null,
    },
  ],
  [
    'approval_applied',
    { request_id: 'apr-1', tool_call_id: 'c1', tool_name: 'ask', decision: 'approved', answers: { db: 'a' } },
    'approval_resolved',
    {
      ...{ approvalId: 'apr-1', subject: 'ask', toolCallId: 'c1', decision: 'approved', reason: null },
      answers: { db: 'a' },
    },
  ],
  [
    'approval_applied',
    { request_id: 'apr-1', tool_call_id: 'c1', tool_name: 'ask', decision: 'approved', values: { port: 1 } },
    'approval_resolved',
    {
      ...{ approvalId: 'apr-1', subject: 'ask', toolCallId: 'c1', decision: 'approved', reason: null },
      values: { port: 1 },
    },
  ],
  [
    'approval_applied',
    { request_id: 'apr-1', tool_call_id: 'c1', tool_name: 'write', decision: 'denied', reason: 'no' },
    'approval_resolved',
    { approvalId: 'apr-1', subject: 'write', toolCallId: 'c1', decision: 'denied', reason: 'no' },
  ],
  [
    'approval_applied',
    {
      ...{ request_id: 'apr-1', tool_call_id: 'c1', tool_name: 'write', decision: 'approved', reason: null },
      arguments: { p: 2, _tool_call_id: 'c1' },
    },
    'approval_resolved',
    { approvalId: 'apr-1', subject: 'write', toolCallId: 'c1', decision: 'approved', reason: null, args: { p: 2 } },
  ],
  [
    'context_compacted',
    { original_count: 24, compacted_count: 10, summary: 'kept' },
    'compaction',
    { messagesBefore: 24, messagesAfter: 10, summary: 'kept' },
  ],
  [
    'session_checkpoint',
    { checkpoint_type: 'step', status: 'completed', summary_text: 'done', resume_cursor: 'c:1' },
    'checkpoint_created',
    { checkpointType: 'step', status: 'completed', summary: 'done', cursor: 'c:1' },
  ],
  [
    'artifact_published',
    { artifact_id: 'art-1', name: 'a.txt', content_type: 'text/plain', size: 3, chunks: 1 },
    'artifact_published',
    { artifactId: 'art-1', name: 'a.txt', contentType: 'text/plain', size: 3 },
  ],
  [
    'artifact_published',
    {
      ...{ artifact_id: 'art-2', name: 'language', content_type: 'application/json', size: 4, chunks: 1 },
      ...{ kind: 'memory_proposal', reason: 'They write German.' },
    },
    'artifact_published',
    {
      ...{ artifactId: 'art-2', name: 'language', contentType: 'application/json', size: 4 },
      ...{ kind: 'memory_proposal', reason: 'They write German.' },
    },
  ],
  ['completed', { result: 'ok' }, 'result', { result: 'ok' }],
  ['error', { message: 'no', reason: 'interrupted' }, 'error', { message: 'no', reason: 'interrupted' }],
  ['turn_end', { turn_id: 'r-1', status: 'completed', queued: 0 }, 'idle', {}],
  [
    'transport_diagnostic',
    {
      status: 'retrying',
      kind: 'provider_retry',
      reason: 'x',
      http_status: 502,
      failure_count: 1,
      retry_delay_ms: 2_000,
    },
    'notice',
    {
      kind: 'retry',
      runId: 'r-1',
      message: 'not reached, 502, trying again in 2 s, try 2',
      retryAt: '1970-01-01T00:00:02.000Z',
    },
  ],
  [
    'sandbox_notice',
    { requested_backend: 'chat_turn', resolved_backend: 'bubblewrap', isolation: 'process' },
    'notice',
    { kind: 'sandbox', runId: 'r-1', message: 'starting in the sandbox bubblewrap', retryAt: null },
  ],
  [
    'prompt_queued',
    { run_id: 'r-1', message_id: 'm-1', text: 'a secret', ahead: 2 },
    'notice',
    { kind: 'queued', runId: 'r-1', message: 'queued behind 2 runs', retryAt: null },
  ],
  [
    'retry_scheduled',
    { run_id: 'r-1', attempt: 2, due: 3_000, reason: 'It broke.' },
    'notice',
    {
      kind: 'retry',
      runId: 'r-1',
      message: 'It broke, trying again in 3 s, attempt 2',
      retryAt: '1970-01-01T00:00:03.000Z',
    },
  ],
  ['sandbox_awaited', { run_id: 'r-1', attempt: 1, reason: 'Busy.' }, 'waiting', { runId: 'r-1', reason: 'Busy.' }],
  [
    'cancel_requested',
    { run_id: 'r-1', reason: 'enough' },
    'cancelled',
    { runId: 'r-1', reason: 'enough', actor: null },
  ],
  ['cancel_requested', { run_id: 'r-1', actor: 'ada' }, 'cancelled', { runId: 'r-1', reason: null, actor: 'ada' }],
  [
    'prompt_dropped',
    { run_id: 'r-3', message_id: 'm-3', reason: 'cancelled' },
    'cancelled',
    { runId: 'r-3', reason: 'cancelled', actor: null },
  ],
])('%s is carried as %3$s', (type, payload, shown, data) => {
  expect(agentEvent(key, { ...event(type, payload), run: 'r-1' })).toEqual({
    id: 'ev-7',
    type: shown,
    timestamp: '1970-01-01T00:00:00.000Z',
    sessionId: 's1',
    data,
  })
})

test('between two queued prompts the session is not idle', () => {
  expect(agentEvent(key, event('turn_end', { turn_id: 'r-1', status: 'completed', queued: 1 }))).toBeNull()
})

/** Facts that a watcher has to know of, though the log alone needs them. */
const told: readonly EventType[] = ['artifact_published', 'cancel_requested', 'prompt_dropped', 'sandbox_awaited']

test('other facts are never carried, and a type from a newer writer is passed over', () => {
  const facts = (Object.keys(catalogue) as EventType[]).filter((type) => catalogue[type].wire === 'internal')
  const carried = facts.filter((type) => !told.includes(type) && agentEvent(key, event(type, {})) !== null)
  expect(carried).toEqual([])
  expect(agentEvent(key, event('from_the_future' as EventType, {}))).toBeNull()
  expect(agentEvent(key, event('constructor' as EventType, {}))).toBeNull()
})

test('[H61] what a runner claims in the name of the session is not carried', () => {
  for (const [type, payload] of [
    ['session_resumed', { actor: 'root' }],
    ['signal_received', { name: 'paid', payload: 1, actor: 'root' }],
    ['approval_applied', { request_id: 'apr-1', tool_name: 'write', tool_call_id: 'c1', decision: 'approved' }],
    ['turn_end', { turn_id: 'r-2', status: 'completed', queued: 0 }],
  ] as const) {
    expect(agentEvent(key, event(type, payload))).not.toBeNull()
    expect(agentEvent(key, { ...event(type, payload), hearsay: true } as AnyEvent)).toBeNull()
  }
})

test('[H4] a frame has an id and data, and no event field', () => {
  const text = streamAudience(key).encode({ events: [event('token', { text: 'a\nb' }, 3), event('usage', {}, 4)] })
  expect(text).toBe(
    'id: 3\ndata: {"id":"ev-3","type":"text_delta","timestamp":"1970-01-01T00:00:00.000Z","sessionId":"s1","data":{"delta":"a\\nb"}}\n\n',
  )
})

test('[H60] [W26] a client that joins the deltas and cuts them as told has the text that stays', () => {
  const log: [EventType, object][] = [
    ['thinking', { text: 'Look. ' }],
    ['token', { text: 'One, ' }],
    ['tool_call', { name: 'read', arguments: {}, tool_call_id: 'a' }],
    ['reflection', { text: 'Then' }],
    ['token', { text: 'tw' }],
    ['output_superseded', { run_id: 'r-2', attempt: 1, keep: { chars: 5, parts: 3, thinking_chars: 6 } }],
    ['token', { text: 'twi' }],
    ['response', { text: 'One, tw', so_far: true, thinking_chars: 6 }],
    ['token', { text: 'o.' }],
    // A log from before says a whole text, which a wire that only appends cannot.
    ['response', { text: 'One, two.', so_far: true }],
  ]
  let [text, thinking] = ['', '']
  for (const [at, [type, payload]] of log.entries()) {
    const shown = agentEvent(key, { seq: at + 1, at: 0, run: 'r-2', attempt: 1, type, payload } as unknown as AnyEvent)
    if (!shown) continue
    if (isEvent(shown, 'text_delta')) text += shown.data.delta
    if (isEvent(shown, 'thinking_delta')) thinking += shown.data.delta
    if (!isEvent(shown, 'text_superseded')) continue
    text = text.slice(0, shown.data.chars)
    thinking = thinking.slice(0, shown.data.thinkingChars)
  }
  expect([text, thinking]).toEqual(['One, two.', 'Look. '])
})

test('isEvent narrows by type', () => {
  const shown = agentEvent(key, event('token', { text: 'Hi' }))
  expect(shown && isEvent(shown, 'text_delta') && shown.data.delta).toBe('Hi')
  expect(shown && isEvent(shown, 'idle')).toBe(false)
})
