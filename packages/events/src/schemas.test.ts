import { describe, expect, test } from 'vitest'
import {
  catalogue,
  EVENT_TYPES,
  type EventType,
  inTier,
  isEventType,
  STREAM_EVENT_TYPES,
  type Tier,
} from './catalogue.ts'
import { parsePayload, parsePolicy, schemas } from './schemas.ts'

/** The frontend contract's inventory: event, persisted, tier. */
const inventory: readonly [string, boolean, Tier][] = [
  ['session', false, 'default'],
  ['session_state', true, 'default'],
  ['session_checkpoint', true, 'default'],
  ['policy_decision', true, 'debug'],
  ['hook_event', true, 'debug'],
  ['sandbox_notice', true, 'debug'],
  ['transport_diagnostic', true, 'debug'],
  ['subagent_event', true, 'debug'],
  ['turn_start', true, 'debug'],
  ['turn_start_tools', true, 'debug'],
  ['token', true, 'default'],
  ['response', true, 'default'],
  ['thinking', true, 'default'],
  ['reflection', true, 'default'],
  ['tool_call', true, 'default'],
  ['tool_result', true, 'default'],
  ['tool_outcome', true, 'default'],
  ['tool_batch', true, 'debug'],
  ['tool_selected', true, 'debug'],
  ['tool_validation_error', true, 'debug'],
  ['context_warning', true, 'default'],
  ['context_compacted', true, 'default'],
  ['step_progress', true, 'default'],
  ['usage', true, 'debug'],
  ['retrieval', true, 'default'],
  ['antahkarana', true, 'default'],
  ['approval_required', true, 'default'],
  ['approval_applied', true, 'default'],
  ['turn_end', true, 'default'],
  ['completed', true, 'default'],
  ['error', true, 'default'],
]

describe('the catalogue', () => {
  test('has the whole inventory, as the contract has it', () => {
    const rows = EVENT_TYPES.filter((type) => catalogue[type].wire === 'seed').map((type) => [
      type,
      catalogue[type].persisted,
      catalogue[type].tier,
    ])
    expect(rows).toEqual(inventory)
    expect(rows).toHaveLength(31)
  })

  test('shows everything but the facts', () => {
    expect(STREAM_EVENT_TYPES.filter((type) => catalogue[type].wire === 'seed')).toEqual(
      inventory.map(([type]) => type),
    )
    expect(STREAM_EVENT_TYPES.some((type) => (catalogue[type].wire as string) === 'internal')).toBe(false)
  })

  test('[E11] shows what operators do, budgets, retries, withdrawn text and artifacts besides, and no agent can claim them; directives are its own', () => {
    const ours = EVENT_TYPES.filter((type) => catalogue[type].wire === 'bridle')
    expect(ours).toEqual([
      'session_paused',
      'session_resumed',
      'session_archived',
      'session_unarchived',
      'session_renamed',
      'cancel_requested',
      'policy_set',
      'signal_received',
      'memory_decided',
      'branched',
      'session_imported',
      'budget_crossed',
      'budget_raised',
      'retry_scheduled',
      'output_superseded',
      'artifact_published',
      'custom_event',
      'directive',
      'execution_feedback',
      'instructions_loaded',
    ])
    expect(ours.filter((type) => catalogue[type].source !== 'kernel')).toEqual([
      ...['custom_event', 'directive', 'instructions_loaded'],
    ])
  })

  test.each<[string, boolean, boolean]>([
    ['token', true, true],
    ['usage', false, true],
    ['run_requested', false, false],
    ['from_the_future', false, true],
    ['constructor', false, true],
  ])('%s: default %s, debug %s', (type, byDefault, inDebug) => {
    expect([inTier(type, 'default'), inTier(type, 'debug')]).toEqual([byDefault, inDebug])
  })

  test('knows its own rows and no prototype', () => {
    expect(isEventType('token')).toBe(true)
    for (const name of ['toString', '__proto__', 'constructor', '']) expect(isEventType(name)).toBe(false)
  })

  test('has a schema for every row and no other', () => {
    expect(Object.keys(schemas).sort()).toEqual([...EVENT_TYPES].sort())
  })
})

/** The contract's payload examples, word for word. */
const examples: readonly [EventType, string][] = [
  [
    'tool_call',
    `{
    "name": "local_search",
    "arguments": { "query": "roadmap", "_tool_call_id": "call-1" },
    "tool_call_id": "call-1"
  }`,
  ],
  [
    'tool_outcome',
    `{
    "tool_call_id": "call-1",
    "tool_name": "local_search",
    "outcome_type": "ToolExecutionResult",
    "status": "ok",
    "elapsed_ms": 84,
    "result": { "chunks": [] }
  }`,
  ],
  [
    'context_compacted',
    `{
    "original_count": 24,
    "compacted_count": 10,
    "tokens_saved": 4200,
    "summary": "Kept the recent working set and collapsed older tool chatter.",
    "preserved_messages": 6,
    "resume_cursor": "compact:serve_demo:14"
  }`,
  ],
  [
    'session_checkpoint',
    `{
    "session_id": "bg_123",
    "sequence": 4,
    "checkpoint_type": "step",
    "status": "completed",
    "summary_text": "step-1 completed: Inspect files",
    "resume_cursor": null
  }`,
  ],
  [
    'policy_decision',
    `{
    "subject": "turn_runtime",
    "outcome": "configured",
    "reason": "Resolved runtime execution mode for this chat turn.",
    "source": "serve_chat_runtime",
    "policy_path": "execution_mode -> approval_policy -> runtime_callbacks",
    "permission_mode": "normal",
    "approval_mode": "on_request"
  }`,
  ],
  [
    'sandbox_notice',
    `{
    "requested_backend": "background_session",
    "resolved_backend": "task_workspace",
    "isolation": "workspace",
    "reason": "Prepared a task workspace for write-capable background work."
  }`,
  ],
  [
    'transport_diagnostic',
    `{
    "status": "degraded",
    "kind": "provider_fallback",
    "provider_requested": "openai",
    "provider_actual": "anthropic",
    "reason": "Primary provider failed health checks.",
    "failure_count": 1
  }`,
  ],
  [
    'subagent_event',
    `{
    "agent_id": "subagent_1",
    "status": "completed",
    "parent_session_id": "serve_chat_123"
  }`,
  ],
]

/** The contract's examples of approvals have no call id, though its rules ask for one on every tool event. */
const approvalExamples: readonly [EventType, string][] = [
  [
    'approval_required',
    `{
    "request_id": "apr_123",
    "tool_name": "write_file",
    "reason": "Web chat turn requested a write-capable tool."
  }`,
  ],
  [
    'approval_applied',
    `{
    "request_id": "apr_123",
    "tool_name": "write_file"
  }`,
  ],
]

describe('payloads', () => {
  test.each(examples)("the contract's example of %s is valid, and kept as it is", (type, text) => {
    const payload = JSON.parse(text)
    expect(parsePayload(type, payload)).toEqual({ payload })
  })

  test.each(approvalExamples)("the contract's example of %s is valid without a call", (type, text) => {
    const payload = JSON.parse(text)
    expect(parsePayload(type, payload)).toEqual({ payload: { ...payload, tool_call_id: '' } })
  })

  test.each(examples)('[E4] a newer field of %s survives', (type, text) => {
    const payload = { ...JSON.parse(text), from_the_future: { deep: [1, null, 'x'] } }
    expect(parsePayload(type, payload)).toEqual({ payload })
  })

  test.each<[EventType, object]>([
    ['tool_call', { name: 'x', arguments: {} }],
    ['tool_result', { tool_name: 'x', result: 1 }],
    ['tool_outcome', { tool_name: 'x', outcome_type: 'ToolFailure', status: 'error' }],
    ['tool_selected', { tool_name: 'x' }],
    ['tool_validation_error', { tool_name: 'x', error: 'bad' }],
    ['tool_batch', {}],
  ])('%s needs the id of its call', (type, payload) => {
    expect(parsePayload(type, payload)).toEqual({ problem: expect.stringContaining('tool_call_id') })
  })

  test.each<[string, EventType, unknown]>([
    ['no object', 'token', 'text'],
    ['null', 'token', null],
    ['an array', 'tool_call', []],
    [
      'an unknown status of a call',
      'tool_outcome',
      { tool_call_id: 'c', tool_name: 'x', outcome_type: 'ToolFailure', status: 'maybe' },
    ],
    ['an unknown status of a session', 'session_state', { status: 'expired' }],
    ['arguments that are a list', 'tool_call', { name: 'x', arguments: [], tool_call_id: 'c' }],
    ['a negative count', 'usage', { input_tokens: -1 }],
    ['half a token', 'usage', { input_tokens: 0.5 }],
    ['a cost that JSON cannot hold', 'usage', { cost_usd: JSON.parse('1e999') }],
    [
      'a duration that JSON cannot hold',
      'tool_outcome',
      {
        tool_call_id: 'c',
        tool_name: 'x',
        outcome_type: 'ToolFailure',
        status: 'error',
        elapsed_ms: Number.POSITIVE_INFINITY,
      },
    ],
    [
      '[E21] more files than a runner reads',
      'instructions_loaded',
      { files: [], left_out: Array(101).fill({ path: 'a', reason: 'is a link' }), ignored: [] },
    ],
    [
      '[E21] a path of a page',
      'instructions_loaded',
      { files: [], left_out: [], ignored: [{ path: 'a'.repeat(501), keys: [] }] },
    ],
    ['a usage that JSON cannot hold', 'context_warning', { usage_pct: Number.NaN }],
    ['a time that is none', 'session_state', { status: 'idle', expires_at: 'soon' }],
  ])('%s is refused, and the problem names the type', (_name, type, payload) => {
    expect(parsePayload(type, payload)).toEqual({ problem: expect.stringMatching(new RegExp(`^${type}: `)) })
  })

  test.each<[string, unknown, boolean]>([
    ['none', {}, true],
    ['a budget', { health: { max_cost_usd: 1, action: 'pause' } }, true],
    ['a newer field', { health: { max_naps: 3 }, other: 1 }, true],
    ['a negative budget', { health: { max_cost_usd: -1 } }, false],
    ['an unknown action', { health: { action: 'shout' } }, false],
    ['no object', 'pause', false],
  ])('a policy: %s', (_name, policy, valid) => {
    expect(parsePolicy(policy)).toEqual(valid ? { policy } : { problem: expect.stringMatching(/^policy: /) })
  })
})
