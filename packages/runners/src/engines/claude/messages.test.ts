import { describe, expect, test } from 'vitest'
import { ClaudeTurnReader } from './messages.ts'
import type { SdkMessage } from './sdk-messages.ts'
import { turnEnd } from './sdk-messages.ts'

const stream = (event: object): SdkMessage => ({ type: 'stream_event', parent_tool_use_id: null, event })
const begins = stream({ type: 'message_start' })
const block = stream({ type: 'content_block_start', content_block: { type: 'text' } })
const delta = (text: string) => stream({ type: 'content_block_delta', delta: { type: 'text_delta', text } })
const said = (...content: object[]): SdkMessage => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { content },
})
const text = (words: string) => ({ type: 'text', text: words })
const use = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }
const result = (content: unknown, more: object = {}, meta: object[] = []): SdkMessage => ({
  type: 'user',
  parent_tool_use_id: null,
  message: { content: [{ type: 'tool_result', tool_use_id: 't', content, ...more }] },
  tool_result_meta: meta,
})
const read = (messages: readonly SdkMessage[], denied: readonly [string, string][] = []) => {
  const reader = new ClaudeTurnReader({ denied: new Map(denied), elapsedMs: new Map() })
  return messages.flatMap((message) => reader.read(message))
}

describe('[R9] a provider that is asked again', () => {
  const retry = (more: object): SdkMessage =>
    ({ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 6, retry_delay_ms: 500, ...more }) as SdkMessage
  test.each<[string, SdkMessage, object]>([
    [
      'says how often',
      retry({ error_status: 502, error: 'server_error' }),
      { attempt: 1, maxRetries: 6, delayMs: 500, status: 502, reason: '502 server_error' },
    ],
    [
      'but not while it is overloaded: the engine may give up earlier than it announces',
      retry({ error_status: 529, error: 'overloaded' }),
      { attempt: 1, delayMs: 500, status: 529, reason: '529 overloaded' },
    ],
    [
      'also where the overload has another status',
      retry({ error_status: 500, error: 'overloaded' }),
      { attempt: 1, delayMs: 500, status: 500, reason: '500 overloaded' },
    ],
  ])('%s', (_name, message, expected) => {
    expect(read([message])).toEqual([{ type: 'retry', ...expected }])
  })
})

describe('text', () => {
  test.each<[string, SdkMessage[], object[]]>([
    [
      'streamed and then whole is said once',
      [begins, block, delta('a'), delta('b'), said(text('ab'))],
      [
        { type: 'assistant.delta', text: 'a' },
        { type: 'assistant.delta', text: 'b' },
      ],
    ],
    ['that was not streamed is said whole', [begins, said(text('ab'))], [{ type: 'assistant.delta', text: 'ab' }]],
    [
      'of a second block is a paragraph of its own',
      [begins, block, delta('a'), said(text('a')), begins, block, delta('b'), said(text('b'))],
      [
        { type: 'assistant.delta', text: 'a' },
        { type: 'assistant.delta', text: '\n\n' },
        { type: 'assistant.delta', text: 'b' },
      ],
    ],
    [
      'that was cut is unsaid, and said again',
      [
        begins,
        block,
        delta('a'),
        said(text('a')),
        begins,
        block,
        delta('ha'),
        begins,
        block,
        delta('half'),
        said(text('half')),
      ],
      [
        { type: 'assistant.delta', text: 'a' },
        { type: 'assistant.delta', text: '\n\n' },
        { type: 'assistant.delta', text: 'ha' },
        { type: 'assistant.text', text: 'a\n\n' },
        { type: 'assistant.delta', text: 'half' },
      ],
    ],
    [
      'whole that is not what was streamed replaces it',
      [begins, block, delta('ax'), said(text('ab'))],
      [
        { type: 'assistant.delta', text: 'ax' },
        { type: 'assistant.text', text: 'ab' },
      ],
    ],
    ['of an agent below is not the turn’s', [{ ...said(text('x')), parent_tool_use_id: 'p' }], []],
    [
      'that the engine made up is not the turn’s',
      [{ type: 'assistant', message: { model: '<synthetic>', content: [text('API Error')] } }],
      [],
    ],
    ['of messages nobody knows is nothing', [{ type: 'ui_invalidate' }, { type: 'system', subtype: 'new' }], []],
  ])('%s', (_name, messages, expected) => expect(read(messages)).toEqual(expected))
})

describe('calls', () => {
  const outcome = (events: readonly { type: string }[]) =>
    events.flatMap((event) => ('outcome' in event ? [event.outcome] : []))
  test.each<[string, SdkMessage, [string, string][], object]>([
    ['ok', result('hi'), [], { status: 'ok', result: 'hi' }],
    ['with blocks', result([text('a'), { type: 'image' }]), [], { status: 'ok', result: 'a\n[image]' }],
    [
      '[E18] a command that fails',
      result('Exit code 4', { is_error: true }),
      [],
      { status: 'error', error: 'Exit code 4', exit_code: 4 },
    ],
    [
      'a timeout',
      result('Exit code 143\nCommand timed out after 1s', { is_error: true }),
      [],
      { status: 'timeout', error: 'Exit code 143\nCommand timed out after 1s' },
    ],
    [
      'denied by us',
      result('no', { is_error: true }, []),
      [['t', 'Not today.']],
      { status: 'denied', reason: 'Not today.' },
    ],
    [
      'denied by a rule',
      result('blocked', { is_error: true }, [{ id: 't', non_execution_kind: 'permission-rule' }]),
      [],
      { status: 'denied', reason: 'blocked' },
    ],
  ])('%s', (_name, message, denied, expected) => {
    expect(outcome(read([said(use), message], denied))).toEqual([expected])
  })

  test('bad arguments are told as such', () => {
    const events = read([
      said(use),
      result('<tool_use_error>InputValidationError: no command</tool_use_error>', { is_error: true }),
    ])
    expect(events.map(({ type }) => type)).toEqual(['tool.started', 'tool.invalid', 'tool.completed'])
  })

  test('each begins and ends once', () => {
    expect(read([said(use), said(use), result('a'), result('b')]).map(({ type }) => type)).toEqual([
      'tool.started',
      'tool.completed',
    ])
  })

  test('an old name is the new one; what only reads says so', () => {
    const names = read([said({ ...use, name: 'Task' }, { ...use, id: 'u', name: 'Read' })])
    expect(names).toMatchObject([
      { toolName: 'Agent', effect: 'pure' },
      { toolName: 'Read', effect: 'pure' },
    ])
    expect(read([said(use)])[0]).not.toHaveProperty('effect')
  })
})

describe('[F34] usage', () => {
  const model = 'claude-sonnet-4-5'
  const opens = (input_tokens: number) =>
    stream({ type: 'message_start', message: { model, usage: { input_tokens, output_tokens: 1 } } })
  const grows = (output_tokens: number) => stream({ type: 'message_delta', usage: { output_tokens } })
  const closes = stream({ type: 'message_stop' })
  const sums = (input_tokens: number, output_tokens: number, costUSD: number): SdkMessage => ({
    type: 'result',
    usage: { input_tokens, output_tokens },
    model_usage_since_last_result: { [model]: { costUSD } },
  })
  const usages = (...messages: SdkMessage[]) =>
    read(messages).flatMap((event) =>
      event.type === 'usage' ? [[event.inputTokens, event.outputTokens, Number(event.costUsd?.toFixed(6))]] : [],
    )

  test('is told with each step, and its cost by the price table', () => {
    expect(usages(opens(1_000), grows(50), grows(100), closes, opens(2_000), grows(10), closes)).toEqual([
      [1_000, 100, 0.0045],
      [2_000, 10, 0.00615],
    ])
  })

  test.each<[string, SdkMessage, unknown[]]>([
    ['more than that', sums(3_000, 100, 0.02), [[2_000, 0, 0.0155]]],
    ['the same', sums(1_000, 100, 0.0045), []],
    ['less', sums(1_000, 100, 0.004), [[0, 0, -0.0005]]],
  ])('the turn took %s: the difference is told', (_name, total, rest) => {
    expect(usages(opens(1_000), grows(100), closes, total)).toEqual([[1_000, 100, 0.0045], ...rest])
  })

  test('of a step that was broken off is in the sums alone, and each turn has its own', () => {
    expect(usages(opens(1_000), opens(1_000), grows(100), closes, sums(1_000, 100, 0.0045))).toEqual([
      [1_000, 100, 0.0045],
    ])
    expect(usages(opens(10), grows(1), closes, sums(10, 1, 0), sums(7, 1, 0.5)).at(-1)).toEqual([7, 1, 0.5])
  })
})

test('a context that fills up is warned of, once', () => {
  const step: SdkMessage = {
    type: 'assistant',
    message: { content: [], usage: { input_tokens: 90, output_tokens: 1 } },
  }
  const end: SdkMessage = {
    type: 'result',
    usage: { input_tokens: 180, output_tokens: 2 },
    modelUsage: { m: { contextWindow: 100 } },
    model_usage_since_last_result: { m: { costUSD: 0.25 } },
  }
  expect(read([step, end, end])).toMatchObject([
    { type: 'usage', inputTokens: 180, costUsd: 0.25, contextUsagePct: 91 },
    { type: 'context.warning', usagePct: 91 },
    { type: 'usage' },
  ])
})

test('a compaction tells how many messages it summarized and kept, where the engine says so', () => {
  const boundary = (compact_metadata: object): SdkMessage => ({
    type: 'system',
    subtype: 'compact_boundary',
    compact_metadata,
  })
  expect(read([boundary({ trigger: 'auto', pre_tokens: 9 })])).toEqual([
    { type: 'compaction', trigger: 'auto', preTokens: 9 },
  ])
  const kept = { anchor_uuid: 'a', uuids: ['b', 'c'] }
  expect(
    read([boundary({ trigger: 'auto', pre_tokens: 9, messages_summarized: 20, preserved_messages: kept })]),
  ).toEqual([{ type: 'compaction', trigger: 'auto', preTokens: 9, summarized: 20, kept: 2 }])
})

test.each<[string, object, object | null]>([
  ['success', { subtype: 'success', result: 'x' }, { kind: 'completed', result: 'x' }],
  ['more to come', { subtype: 'success', queued_turn_count: 1 }, null],
  [
    'interrupted',
    { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' },
    { kind: 'interrupted' },
  ],
  ['budget', { subtype: 'error_max_budget_usd', is_error: true }, { kind: 'failed', reason: 'budget' }],
  ['steps', { subtype: 'error_max_turns', is_error: true }, { kind: 'failed', reason: 'max_turns' }],
  ['too long', { is_error: true, terminal_reason: 'prompt_too_long' }, { kind: 'failed', reason: 'prompt_too_long' }],
  [
    'a refused key',
    { subtype: 'success', is_error: true, api_error_status: 401, result: 'no' },
    { reason: 'key_refused', message: 'no' },
  ],
  ['an unknown model', { subtype: 'success', is_error: true, api_error_status: 404 }, { reason: 'model_unknown' }],
  [
    'a rate limit',
    { subtype: 'success', is_error: true, api_error_status: 429 },
    { reason: 'provider', transient: true },
  ],
  [
    'a provider that is overloaded: the address of the proxy is no advice',
    {
      subtype: 'success',
      is_error: true,
      api_error_status: 529,
      result:
        'The API is at capacity. Try again in a moment. If it persists, check your inference gateway (127.0.0.1:4319).',
    },
    { message: 'The API is at capacity. Try again in a moment.', reason: 'provider', transient: true },
  ],
  ['a bad request', { subtype: 'success', is_error: true, api_error_status: 400 }, { reason: 'provider' }],
  [
    'no reason at all',
    { subtype: 'error_during_execution', is_error: true },
    { reason: 'engine', message: expect.stringMatching(/\w/) },
  ],
])('the end: %s', (_name, message, expected) => {
  const end = turnEnd({ type: 'result', ...message })
  if (expected === null) expect(end).toBeNull()
  else expect(end).toMatchObject(expected)
})
