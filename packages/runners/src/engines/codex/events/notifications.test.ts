import type { JsonObject } from '@bridle/events/json'
import { describe, expect, test } from 'vitest'
import type { RunnerEvent } from '../../../protocol/protocol.ts'
import { activeTurns } from './agents.ts'
import { closingEvents, runnerEventsOf } from './notifications.ts'
import { newTurnState, nextTurnState, type RpcNotification } from './turn-state.ts'

const own = { threadId: 't', turnId: '1' }
const notice = (method: string, params: JsonObject = {}, where: JsonObject = own): RpcNotification => ({
  method,
  params: { ...where, ...params },
})
const began = notice('turn/started', { turn: { id: '1' } }, { threadId: 't' })
const item = (phase: 'started' | 'completed', fields: JsonObject, where = own) =>
  notice(`item/${phase}`, { item: { id: 'c', ...fields } }, where)
const say = (itemId: string, text: string) => notice('item/agentMessage/delta', { itemId, delta: text })
const whole = (id: string, text: string) => item('completed', { type: 'agentMessage', id, text })
const delta = (text: string): RunnerEvent => ({ type: 'assistant.delta', text })

const told = (notices: readonly RpcNotification[]): RunnerEvent[] => {
  const seen = newTurnState('t')
  return [began, ...notices].flatMap((each) => runnerEventsOf(each, seen))
}

describe('text', () => {
  test.each<[string, RpcNotification[], RunnerEvent[]]>([
    ['deltas', [say('m', 'a'), say('m', 'b'), whole('m', 'ab')], [delta('a'), delta('b')]],
    ['a message that did not stream', [whole('m', 'ab')], [delta('ab')]],
    [
      'two messages are apart',
      [say('m', 'a'), whole('m', 'a'), say('n', 'b'), whole('n', 'b')],
      [delta('a'), delta('\n\nb')],
    ],
    ['one that ends otherwise', [say('m', 'a'), whole('m', 'A')], [delta('a'), { type: 'assistant.text', text: 'A' }]],
    [
      'one that is said again after a cut, with a message before it',
      [
        say('l', 'first'),
        whole('l', 'first'),
        say('m', 'ha'),
        notice('error', {
          willRetry: true,
          error: {
            message: 'Reconnecting... 1/5',
            additionalDetails: 'cut',
            codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } },
          },
        }),
        say('n', 'half'),
        whole('n', 'half'),
      ],
      [
        delta('first'),
        delta('\n\nha'),
        { type: 'assistant.text', text: 'first' },
        { type: 'retry', attempt: 1, reason: 'cut', status: null },
        delta('\n\nhalf'),
      ],
    ],
    [
      'one that was steered away from stands',
      [say('m', 'a'), say('n', 'b'), whole('n', 'b')],
      [delta('a'), delta('\n\nb')],
    ],
    [
      'thought, in parts',
      [
        notice('item/reasoning/summaryPartAdded', { itemId: 'r', summaryIndex: 0 }),
        notice('item/reasoning/summaryTextDelta', { itemId: 'r', delta: 'a' }),
        notice('item/reasoning/summaryPartAdded', { itemId: 'r', summaryIndex: 1 }),
        notice('item/reasoning/summaryTextDelta', { itemId: 'r', delta: 'b' }),
        item('completed', { type: 'reasoning', id: 'r', summary: ['a', 'b'], content: [] }),
      ],
      ['a', '\n\n', 'b'].map((text) => ({ type: 'thinking.delta', text })),
    ],
    [
      'thought that did not stream',
      [item('completed', { type: 'reasoning', id: 'r', summary: ['a', 'b'], content: [] })],
      [{ type: 'thinking.delta', text: 'a\n\nb' }],
    ],
  ])('%s', (_name, notices, expected) => expect(told(notices)).toEqual(expected))
})

describe('calls', () => {
  const command = { type: 'commandExecution', command: 'ls', cwd: '/w' }
  const change = { path: '/w/a', kind: { type: 'add' }, diff: 'x' }
  const mcp = { type: 'mcpToolCall', server: 's', tool: 'get', arguments: { a: 1 }, readOnlyHint: true }
  test.each<[string, JsonObject, object, object]>([
    [
      'a command',
      { ...command, status: 'completed', aggregatedOutput: 'o', exitCode: 0, durationMs: 5 },
      { toolName: 'shell', input: { command: 'ls', cwd: '/w' } },
      { status: 'ok', result: { output: 'o', exitCode: 0 }, exit_code: 0, elapsedMs: 5 },
    ],
    [
      'a command that fails',
      { ...command, status: 'failed', aggregatedOutput: null, exitCode: 2 },
      { toolName: 'shell', input: { command: 'ls', cwd: '/w' } },
      {
        status: 'error',
        result: { output: '', exitCode: 2 },
        exit_code: 2,
        error: 'The command ended with exit code 2.',
      },
    ],
    [
      'a command that is declined',
      { ...command, status: 'declined' },
      { toolName: 'shell', input: { command: 'ls', cwd: '/w' } },
      { status: 'denied', reason: 'It was declined.' },
    ],
    [
      'a change',
      { type: 'fileChange', status: 'completed', changes: [change] },
      { toolName: 'apply_patch', input: { changes: [change] } },
      { status: 'ok', result: { changes: [{ path: '/w/a', kind: { type: 'add' } }] } },
    ],
    [
      'a change that does not fit',
      { type: 'fileChange', status: 'failed', changes: [] },
      { toolName: 'apply_patch', input: { changes: [] } },
      { status: 'error', error: 'The change could not be applied.' },
    ],
    [
      'a tool of an MCP server',
      { ...mcp, status: 'completed', result: { content: [{ type: 'text', text: 'x' }], structuredContent: null } },
      { toolName: 'mcp__s__get', input: { a: 1 }, effect: 'pure' },
      { status: 'ok', result: [{ type: 'text', text: 'x' }] },
    ],
    [
      'one that fails',
      { ...mcp, status: 'failed', error: { message: 'No.' } },
      { toolName: 'mcp__s__get', input: { a: 1 }, effect: 'pure' },
      { status: 'error', error: 'No.' },
    ],
    [
      'a search',
      { type: 'webSearch', query: 'q', action: null, results: null },
      { toolName: 'web_search', input: { query: 'q' }, effect: 'pure' },
      { status: 'ok', result: { query: 'q', action: null, results: null } },
    ],
    [
      'a picture that was made: not the picture itself',
      { type: 'imageGeneration', revisedPrompt: 'p', failure: null, savedPath: '/w/p.png', result: 'base64' },
      { toolName: 'image_generation', input: { prompt: 'p' } },
      { status: 'ok', result: { path: '/w/p.png' } },
    ],
  ])('%s', (_name, fields, start, outcome) =>
    expect(told([item('started', fields), item('completed', fields)])).toEqual([
      { type: 'tool.started', toolUseId: 'c', ...start },
      { type: 'tool.completed', toolUseId: 'c', toolName: (start as { toolName: string }).toolName, outcome },
    ]),
  )

  test('one of which only the end is told was begun too', () =>
    expect(told([item('completed', { type: 'imageView', path: '/p' })]).map(({ type }) => type)).toEqual([
      'tool.started',
      'tool.completed',
    ]))

  const raw = (fields: JsonObject) => notice('rawResponseItem/completed', { item: { call_id: 'c', ...fields } })
  const rawCall = raw({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}' })
  const rawOutput = raw({ type: 'function_call_output', output: 'Read-only file system' })

  test('one without an item is told from the raw call, as failed', () =>
    expect(told([rawCall, rawOutput])).toEqual([
      { type: 'tool.started', toolName: 'exec_command', toolUseId: 'c', input: { cmd: 'ls' } },
      {
        type: 'tool.completed',
        toolName: 'exec_command',
        toolUseId: 'c',
        outcome: { status: 'error', error: 'Read-only file system' },
      },
    ]))

  test('one that never has an item is not failed', () =>
    expect(told([raw({ type: 'function_call', name: 'update_plan', arguments: '{}' }), rawOutput])[1]).toMatchObject({
      outcome: { status: 'ok', result: 'Read-only file system' },
    }))

  test('one of a tool that Codex does not have is failed, whatever its name', () => {
    const unsupported = raw({ type: 'function_call_output', output: 'unsupported call: update_plan' })
    expect(told([raw({ type: 'function_call', name: 'update_plan', arguments: '{}' }), unsupported])[1]).toMatchObject({
      outcome: { status: 'error', error: 'unsupported call: update_plan' },
    })
    const script = (output: string) =>
      told([
        raw({ type: 'custom_tool_call', name: 'exec', input: 'text(1)' }),
        raw({ type: 'custom_tool_call_output', output }),
      ])[1]
    expect(script('Script completed\nWall time 0.1 seconds')).toMatchObject({ outcome: { status: 'ok' } })
    expect(script('Script failed: SyntaxError')).toMatchObject({ outcome: { status: 'error' } })
  })

  test('one with an item is told once', () =>
    expect(
      told([rawCall, item('started', command), item('completed', { ...command, status: 'completed' }), rawOutput]),
    ).toHaveLength(2))

  test.each([
    ['completed', { status: 'ok', result: { running: true } }],
    [
      'interrupted',
      { status: 'error', reason: 'interrupted', error: 'The turn was interrupted before the call ended.' },
    ],
    ['failed', { status: 'error', reason: 'turn_failed', error: 'The turn failed before the call ended.' }],
  ] as const)('a command that is left when the turn is %s', (end, outcome) => {
    const seen = newTurnState('t')
    for (const each of [began, item('started', command)]) runnerEventsOf(each, seen)
    expect(closingEvents(seen, end)).toEqual([{ type: 'tool.completed', toolUseId: 'c', toolName: 'shell', outcome }])
    expect(closingEvents(seen, end)).toEqual([])
  })
})

test('[F34] usage has the cost of the price table, cached input at its own price', () => {
  const seen = { ...newTurnState('t'), model: 'gpt-5.1-codex', turn: '1' }
  const last = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000, totalTokens: 1_100_000 }
  const tokenUsage = { total: { totalTokens: 1 }, last }
  const params = { threadId: 't', turnId: '1', tokenUsage }
  const [told] = runnerEventsOf({ method: 'thread/tokenUsage/updated', params }, seen)
  expect(told).toMatchObject({ type: 'usage', estimated: true })
  expect((told as { costUsd?: number }).costUsd).toBeCloseTo(0.6 * 1.25 + 0.4 * 0.125 + 0.1 * 10)
})

describe('the rest', () => {
  const usage = (total: number, turnId = '1', threadId = 't') =>
    notice(
      'thread/tokenUsage/updated',
      {
        tokenUsage: {
          total: { totalTokens: total },
          last: { inputTokens: 40, outputTokens: 10, totalTokens: 50 },
          modelContextWindow: 200,
        },
      },
      { threadId, turnId },
    )
  const spent = { type: 'usage', inputTokens: 40, outputTokens: 10, totalTokens: 50 } as const
  const call = {
    type: 'collabAgentToolCall',
    tool: 'spawnAgent',
    prompt: 'Do.',
    receiverThreadIds: ['a'],
    status: 'completed',
  }
  const agent = { threadId: 'a', turnId: '9' }

  test.each<[string, RpcNotification[], object[]]>([
    ['usage', [usage(50)], [{ ...spent, contextUsagePct: 25 }]],
    ['usage that is said again', [usage(50), usage(50)], [{ ...spent, contextUsagePct: 25 }]],
    ['usage of a turn before', [usage(50, '0')], []],
    ['usage of an agent: its context is not ours', [usage(50, '9', 'a')], [spent]],
    ['a compaction', [item('completed', { type: 'contextCompaction' })], [{ type: 'compaction', trigger: 'auto' }]],
    [
      'a hook',
      [notice('hook/completed', { run: { eventName: 'preToolUse', status: 'completed' } })],
      [{ type: 'hook', hook: 'preToolUse', phase: 'completed', status: 'completed' }],
    ],
    [
      'a warning',
      [notice('warning', { message: 'Careful.' }, { threadId: 't' })],
      [{ type: 'context.warning', kind: 'engine', message: 'Careful.' }],
    ],
    [
      'another model',
      [notice('model/rerouted', { fromModel: 'a', toModel: 'b' })],
      [{ type: 'context.warning', kind: 'model_rerouted', message: 'b answers in place of a.' }],
    ],
    [
      'an agent',
      [
        item('started', call),
        item('completed', call),
        notice('turn/started', { turn: { id: '9' } }, { threadId: 'a' }),
        item('started', { type: 'imageView', id: 'v', path: '/p' }, agent),
        notice('item/agentMessage/delta', { itemId: 'm', delta: 'Its own.' }, agent),
        item('completed', { type: 'agentMessage', id: 'm', text: 'Did.' }, agent),
        notice('turn/completed', { turn: { id: '9', status: 'completed' } }, { threadId: 'a' }),
      ],
      [
        { type: 'tool.started', toolName: 'spawnAgent', toolUseId: 'c', input: { prompt: 'Do.', agents: ['a'] } },
        {
          type: 'tool.completed',
          toolName: 'spawnAgent',
          toolUseId: 'c',
          outcome: { status: 'ok', result: { agents: ['a'], states: {} } },
        },
        { type: 'subagent.started', agentId: 'a', toolUseId: 'c' },
        {
          type: 'tool.started',
          toolName: 'view_image',
          toolUseId: 'v',
          input: { path: '/p' },
          effect: 'pure',
          parentToolUseId: 'c',
        },
        { type: 'subagent.completed', agentId: 'a', status: 'completed', summary: 'Did.' },
      ],
    ],
    ['what is of a turn before', [item('completed', { type: 'imageView' }, { threadId: 't', turnId: '0' })], []],
    ['the prompt itself', [item('completed', { type: 'userMessage' })], []],
    ['an item of tomorrow', [item('completed', { type: 'somethingNew' })], []],
    ['a notice of tomorrow', [notice('something/new')], []],
    ['a notice like a property of all objects', [notice('constructor'), item('started', { type: 'toString' })], []],
  ])('%s', (_name, notices, expected) => expect(told(notices)).toEqual(expected))

  test.each([
    'turn/started',
    'turn/completed',
    'item/started',
    'item/completed',
    'item/agentMessage/delta',
    'item/reasoning/summaryTextDelta',
    'item/reasoning/summaryPartAdded',
    'thread/tokenUsage/updated',
    'hook/started',
    'warning',
    'rawResponseItem/completed',
  ])('%s of rubbish is nothing', (method) => {
    const none: JsonObject[] = [
      {},
      { item: 3 },
      { item: { type: 'agentMessage' } },
      { turn: null, run: [], tokenUsage: 'x' },
    ]
    for (const rubbish of none) expect(told([notice(method, rubbish)])).toEqual([])
  })

  test('an agent may begin before its call has ended', () => {
    const notices = [
      item('started', { ...call, receiverThreadIds: [] }),
      notice('turn/started', { turn: { id: '9' } }, { threadId: 'a' }),
      item('completed', call),
    ]
    expect(told(notices).filter(({ type }) => type === 'subagent.started')).toEqual([
      { type: 'subagent.started', agentId: 'a', toolUseId: 'c' },
    ])
  })

  test('an agent that is left when the turn ends', () => {
    const seen = newTurnState('t')
    const notices = [began, item('started', call), item('completed', call)]
    for (const each of [...notices, notice('turn/started', { turn: { id: '9' } }, { threadId: 'a' })])
      runnerEventsOf(each, seen)
    expect(activeTurns(seen)).toEqual([{ threadId: 'a', turnId: '9' }])
    expect(closingEvents(seen, 'completed')).toEqual([
      { type: 'subagent.completed', agentId: 'a', status: 'interrupted' },
    ])
    expect(activeTurns(seen)).toEqual([])
  })

  test('a new turn forgets the last one, but not its agents', () => {
    const seen = newTurnState('t')
    for (const each of [began, item('started', call), item('completed', call), say('m', 'a')])
      runnerEventsOf(each, seen)
    const next = nextTurnState(seen)
    expect([next.turn, next.settledText, next.openCalls.size, next.agents.size]).toEqual([null, '', 0, 1])
  })
})
