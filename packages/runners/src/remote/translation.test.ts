import { parsePayload } from '@bridle/events/schemas'
import { digest } from '@bridle/kernel/host/host.suite'
import { expect, test } from 'vitest'
import { parseRunnerEvent, type RunnerEvent, runnerEventSchemas } from '../protocol/protocol.ts'
import { translateEvent } from './translation.ts'

const event = (type: string, payload: object) => ({ type: 'event', event: { type, payload } })
const call = { tool_call_id: 't', tool_name: 'Bash' }

test.each<[string, RunnerEvent, unknown[]]>([
  ['run.started is ours to say', { type: 'run.started', requestId: 'r' }, []],
  ['text', { type: 'assistant.delta', text: 'a' }, [event('token', { text: 'a' })]],
  ['text said again', { type: 'assistant.text', text: 'a' }, [event('response', { text: 'a', so_far: true })]],
  ['a thought', { type: 'thinking.delta', text: 'a' }, [event('thinking', { text: 'a' })]],
  [
    'a call, as the document has it',
    { type: 'tool.started', toolName: 'Read', toolUseId: 't' },
    [event('tool_call', { name: 'Read', arguments: {}, tool_call_id: 't' })],
  ],
  [
    'a call of an agent below',
    { type: 'tool.started', toolName: 'Read', toolUseId: 't', input: { a: 1 }, effect: 'pure', parentToolUseId: 'p' },
    [
      event('tool_call', {
        name: 'Read',
        arguments: { a: 1 },
        tool_call_id: 't',
        effect: 'pure',
        parent_tool_call_id: 'p',
      }),
    ],
  ],
  [
    'an outcome',
    { type: 'tool.completed', toolUseId: 't', outcome: { status: 'ok', result: 'x', elapsedMs: 3, exit_code: 0 } },
    [
      event('tool_result', { ...call, result: 'x' }),
      event('tool_outcome', {
        ...call,
        ...{ outcome_type: 'ToolExecutionResult', status: 'ok', elapsed_ms: 3, result: 'x', exit_code: 0 },
      }),
    ],
  ],
  [
    'a refusal',
    { type: 'tool.completed', toolUseId: 't', toolName: 'Edit', outcome: { status: 'denied', reason: 'no' } },
    [
      event('tool_outcome', {
        tool_call_id: 't',
        tool_name: 'Edit',
        outcome_type: 'ToolDenied',
        status: 'denied',
        reason: 'no',
      }),
    ],
  ],
  ['a wave', { type: 'tool.batch', toolUseIds: ['t'] }, [event('tool_batch', { tool_call_ids: ['t'] })]],
  [
    'bad arguments',
    { type: 'tool.invalid', toolUseId: 't', toolName: 'Bash', error: 'e' },
    [event('tool_validation_error', { ...call, error: 'e' })],
  ],
  [
    'a question',
    {
      type: 'approval.required',
      toolUseId: 't',
      toolName: 'Bash',
      input: { b: 1 },
      reason: 'r',
      expiresMs: 5,
      fixed: true,
    },
    [
      {
        type: 'ask',
        toolCallId: 't',
        tool: 'Bash',
        arguments: { b: 1 },
        reason: 'r',
        expiresMs: 5,
        fixed: true,
        digest: await digest('{"arguments":{"b":1},"tool":"Bash"}'),
      },
    ],
  ],
  [
    'a question to a person',
    {
      ...{ type: 'approval.required', kind: 'question', toolUseId: 't', toolName: 'Ask', input: { a: 1 }, reason: 'r' },
      ...{ expiresMs: 5, questions: [{ question: 'Which?', options: ['A', 'B'] }], default: { q1: 'A' } },
    },
    [
      {
        ...{ type: 'ask', kind: 'question', toolCallId: 't', tool: 'Ask', arguments: { a: 1 }, reason: 'r' },
        questions: [{ id: 'q1', question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }],
        ...{ expiresMs: 5, default: { q1: 'A' } },
        digest: await digest('{"arguments":{"a":1},"tool":"Ask"}'),
        defaultDigest: await digest('{"arguments":{"a":1,"answers":{"q1":"A"}},"tool":"Ask"}'),
      },
    ],
  ],
  [
    'a kind of a newer runner is a call that needs an approval',
    { type: 'approval.required', kind: 'poll', toolUseId: 't', toolName: 'Ask', input: {}, reason: 'r' },
    [
      {
        ...{ type: 'ask', toolCallId: 't', tool: 'Ask', arguments: {}, reason: 'r' },
        digest: await digest('{"arguments":{},"tool":"Ask"}'),
      },
    ],
  ],
  [
    'a rule that decided',
    { type: 'policy.decided', subject: 'Bash', outcome: 'accept', source: 'config' },
    [event('policy_decision', { subject: 'Bash', outcome: 'accept', source: 'config' })],
  ],
  [
    'usage',
    { type: 'usage', inputTokens: 1, outputTokens: 2, totalTokens: 3, costUsd: 0.1, contextUsagePct: 4 },
    [event('usage', { input_tokens: 1, output_tokens: 2, total_tokens: 3, cost_usd: 0.1, context_usage_pct: 4 })],
  ],
  [
    'usage by a price table',
    { type: 'usage', inputTokens: 1, costUsd: 0.1, estimated: true },
    [event('usage', { input_tokens: 1, cost_usd: 0.1, estimated: true })],
  ],
  [
    'the sums of a turn, less than was estimated',
    { type: 'usage', inputTokens: 0, costUsd: -0.1, total: true },
    [event('usage', { input_tokens: 0, cost_usd: -0.1 })],
  ],
  ['a cost below zero is none', { type: 'usage', costUsd: -0.1 }, [event('usage', { cost_usd: 0 })]],
  [
    'a compaction with its counts',
    { type: 'compaction', summarized: 20, kept: 4 },
    [event('context_compacted', { original_count: 24, compacted_count: 5, preserved_messages: 4 })],
  ],
  ['how it would go on', { type: 'run.resume', resume: 'h' }, [{ type: 'resume', handle: 'h' }]],
  [
    'a warning',
    { type: 'context.warning', message: 'm', kind: 'k', usagePct: 90 },
    [event('context_warning', { message: 'm', kind: 'k', usage_pct: 90 })],
  ],
  [
    'the texts of a repository',
    {
      type: 'instructions.loaded',
      files: [{ path: 'CLAUDE.md', kind: 'instructions', digest: 'd', bytes: 1 }],
      left_out: [{ path: 'AGENTS.md', reason: 'is a link' }],
      ignored: [{ path: '.mcp.json', keys: [] }],
    },
    [
      event('instructions_loaded', {
        files: [{ path: 'CLAUDE.md', kind: 'instructions', digest: 'd', bytes: 1 }],
        left_out: [{ path: 'AGENTS.md', reason: 'is a link' }],
        ignored: [{ path: '.mcp.json', keys: [] }],
      }),
    ],
  ],
  [
    'a compaction that saved nothing',
    { type: 'compaction', trigger: 'auto', preTokens: 1, postTokens: 5, summary: 's' },
    [event('context_compacted', { trigger: 'auto', tokens_saved: 0, summary: 's' })],
  ],
  [
    'an agent below: start',
    { type: 'subagent.started', agentId: 'a', agentType: 'x', toolUseId: 't' },
    [event('subagent_event', { agent_id: 'a', status: 'started', agent_type: 'x', tool_call_id: 't' })],
  ],
  [
    'an agent below: progress',
    { type: 'subagent.progress', agentId: 'a', summary: 's' },
    [event('subagent_event', { agent_id: 'a', status: 'running', summary: 's' })],
  ],
  [
    'an agent below: end',
    { type: 'subagent.completed', agentId: 'a', status: 'failed' },
    [event('subagent_event', { agent_id: 'a', status: 'failed' })],
  ],
  [
    'a hook',
    { type: 'hook', hook: 'Stop', phase: 'after', status: 'ok', toolUseId: 't' },
    [event('hook_event', { hook: 'Stop', phase: 'after', status: 'ok', tool_call_id: 't' })],
  ],
  [
    'a retry',
    { type: 'retry', attempt: 2, maxRetries: 6, delayMs: 10, status: 529, reason: 'overloaded' },
    [
      event('transport_diagnostic', {
        status: 'retrying',
        kind: 'provider_retry',
        reason: 'overloaded',
        failure_count: 2,
        max_retries: 6,
        retry_delay_ms: 10,
        http_status: 529,
      }),
    ],
  ],
  ['the tools there are', { type: 'turn.tools', tools: ['Bash'] }, [event('turn_start_tools', { tools: ['Bash'] })]],
  [
    'the isolation had',
    { type: 'sandbox.notice', requestedBackend: 'a', resolvedBackend: 'b', isolation: 'c', reason: 'd' },
    [event('sandbox_notice', { requested_backend: 'a', resolved_backend: 'b', isolation: 'c', reason: 'd' })],
  ],
  [
    'the end',
    { type: 'run.completed', result: 'x', sessionId: 's', resume: 'r' },
    [{ type: 'finished', result: 'x', resume: 'r' }],
  ],
  ['the end, as the document has it', { type: 'run.completed', sessionId: 's' }, [{ type: 'finished', resume: 's' }]],
  [
    'a failure',
    { type: 'run.error', message: 'm', reason: 'r', transient: true, resume: 'h' },
    [{ type: 'failed', message: 'm', reason: 'r', transient: true, resume: 'h' }],
  ],
])('[R13] %s', async (_name, said, expected) => {
  // The event as it comes over the wire.
  const parsed = parseRunnerEvent(JSON.stringify(said))
  const items = parsed && (await translateEvent(parsed, { toolNames: new Map([['t', 'Bash']]) }, digest))
  expect(items).toEqual(expected)
  for (const item of items ?? []) {
    if (item.type === 'event')
      expect(parsePayload(item.event.type as 'token', item.event.payload)).toHaveProperty('payload')
  }
})

test('[R12] what a newer runner says is passed over, what makes no sense is not', () => {
  expect(parseRunnerEvent('{"type":"from.the.future"}')).toBeNull()
  expect(parseRunnerEvent('{"type":"constructor"}')).toBeNull()
  expect(parseRunnerEvent('7')).toBeNull()
  expect(() => parseRunnerEvent('{"type":"assistant.delta"}')).toThrow('assistant.delta')
  expect(() => parseRunnerEvent('{')).toThrow()
  expect(Object.keys(runnerEventSchemas)).toContain('run.error')
})
