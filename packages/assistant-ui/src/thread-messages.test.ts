import type { ThreadMessage } from '@assistant-ui/react'
import type {
  HarnessApproval,
  HarnessMessage,
  HarnessPart,
  HarnessState,
  HarnessToolCall,
} from '@bridle/client/harness/state'
import { describe, expect, test } from 'vitest'
import { convertHarnessMessage, toThreadMessages } from './thread-messages.ts'

const answer = (given: Partial<HarnessMessage>): HarnessMessage => ({
  id: 'm-2',
  role: 'assistant',
  content: '',
  status: 'streaming',
  toolCalls: [],
  parts: [],
  ...given,
})
const question: HarnessMessage = { id: 'm-1', role: 'user', content: 'Hi', status: 'complete', createdAt: 1000 }
const state = (messages: HarnessMessage[], more: Partial<HarnessState> = {}): HarnessState => ({
  status: 'running',
  messages,
  approvals: [],
  ...more,
})
const asked: HarnessApproval = {
  id: 'apr-1',
  kind: 'tool',
  toolCallId: 'c1',
  toolName: 'write_file',
  reason: 'It writes.',
}
const converted = (message: HarnessMessage, more: Partial<HarnessState> = {}) =>
  convertHarnessMessage(message, state([message], more))

test('a question has no status; what is known of it stands beside it', () => {
  expect(converted({ ...question, status: 'pending', runId: 'r-1' })).toEqual({
    id: 'm-1',
    role: 'user',
    content: [{ type: 'text', text: 'Hi' }],
    createdAt: new Date(1000),
    metadata: { custom: { status: 'pending', runId: 'r-1' } },
  })
})

describe('the status of an answer', () => {
  const waiting: Partial<HarnessMessage> = {
    toolCalls: [{ ...call(), approval: { id: 'apr-1', status: 'pending' } }],
  }
  test.each<[string, Partial<HarnessMessage>, Partial<HarnessState>, object]>([
    ['pending', { status: 'pending' }, {}, { type: 'running' }],
    ['streaming', {}, {}, { type: 'running' }],
    ['complete', { status: 'complete' }, {}, { type: 'complete', reason: 'stop' }],
    [
      'complete for a reason of its own',
      { status: 'complete', stopReason: 'end_turn' },
      {},
      { type: 'complete', reason: 'stop' },
    ],
    ['cancelled', { status: 'complete', stopReason: 'cancelled' }, {}, { type: 'incomplete', reason: 'cancelled' }],
    ['cut for length', { status: 'complete', stopReason: 'max_tokens' }, {}, { type: 'incomplete', reason: 'length' }],
    ['refused', { status: 'complete', stopReason: 'refusal' }, {}, { type: 'incomplete', reason: 'content-filter' }],
    ['cut by a branch', { status: 'complete', stopReason: 'branched' }, {}, { type: 'incomplete', reason: 'other' }],
    [
      'a name of every object',
      { status: 'complete', stopReason: 'constructor' },
      {},
      { type: 'complete', reason: 'stop' },
    ],
    ['failed', { status: 'error' }, {}, { type: 'incomplete', reason: 'error' }],
    ['failed, and why', { status: 'error' }, { error: 'No.' }, { type: 'incomplete', reason: 'error', error: 'No.' }],
    [
      'failed earlier, and why',
      { status: 'error', error: 'No.' },
      {},
      { type: 'incomplete', reason: 'error', error: 'No.' },
    ],
    ['waiting for an approval', waiting, { approvals: [asked] }, { type: 'requires-action', reason: 'interrupt' }],
    ['waiting, of a bare server', waiting, { approvals: undefined }, { type: 'requires-action', reason: 'interrupt' }],
    ['not waiting any more', waiting, {}, { type: 'running' }],
    [
      'over while a question was open',
      { ...waiting, status: 'complete', stopReason: 'cancelled' },
      { approvals: [asked] },
      { type: 'incomplete', reason: 'cancelled' },
    ],
  ])('%s', (_name, message, more, expected) => expect(converted(answer(message), more).status).toEqual(expected))
})

describe('the content of an answer', () => {
  const tool = { type: 'tool', toolCallId: 'c1' } as const
  const card = {
    type: 'tool-call',
    toolCallId: 'c1',
    toolName: 'write_file',
    args: { path: 'a' },
    argsText: '{"path":"a"}',
  }
  test.each<[string, Partial<HarnessMessage>, unknown[]]>([
    ['nothing yet', {}, []],
    [
      'a bare server',
      { content: 'Hi', parts: undefined, toolCalls: [{ id: 'c1', name: 'write_file', status: 'running' }] },
      [
        { type: 'text', text: 'Hi' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'write_file', args: {}, argsText: '' },
      ],
    ],
    [
      'text, thoughts and tools in their order',
      {
        content: 'BeforeAfter',
        toolCalls: [call()],
        parts: [{ type: 'reasoning', text: 'Hm.' }, { type: 'text', from: 0 }, tool, { type: 'text', from: 6 }],
      },
      [{ type: 'reasoning', text: 'Hm.' }, { type: 'text', text: 'Before' }, card, { type: 'text', text: 'After' }],
    ],
    [
      'what a retry replaced is hidden',
      {
        content: 'New',
        toolCalls: [
          { ...call(), superseded: true },
          { ...call(), status: 'complete', result: 1 },
        ],
        parts: [
          { type: 'text', text: 'Old', superseded: true },
          { type: 'reasoning', text: 'Old', superseded: true },
          { ...tool, superseded: true },
          { type: 'text', from: 0 },
          tool,
        ],
      },
      [
        { type: 'text', text: 'New' },
        { ...card, result: 1 },
      ],
    ],
    ['a call is shown once', { toolCalls: [call()], parts: [tool, tool] }, [card]],
    [
      'marks and artifacts',
      {
        parts: [
          { type: 'marker', kind: 'context_compacted', text: 'Shorter.' },
          { type: 'artifact', artifactId: 'art-1', name: 'a.txt' },
        ],
      },
      [
        { type: 'data', name: 'marker', data: { kind: 'context_compacted', text: 'Shorter.' } },
        { type: 'data', name: 'artifact', data: { artifactId: 'art-1', name: 'a.txt' } },
      ],
    ],
  ])('%s', (_name, message, expected) => expect(converted(answer(message)).content).toEqual(expected))
})

describe('a call', () => {
  test.each<[string, Partial<HarnessToolCall>, object, Partial<HarnessState>?, Partial<HarnessMessage>?]>([
    ['running', {}, {}],
    ['with a result', { status: 'complete', result: { lines: 3 } }, { result: { lines: 3 } }],
    ['ended without one', { status: 'complete' }, { result: null }],
    [
      'failed',
      { status: 'error', outcome: 'error', error: 'No such file.' },
      { result: 'No such file.', isError: true },
    ],
    ['timed out', { status: 'error', outcome: 'timeout' }, { result: null, isError: true }],
    ['asked about', approval('pending'), { approval: { id: 'apr-1', prompt: 'It writes.' } }, { approvals: [asked] }],
    ['asked about by a bare server', approval('pending'), { approval: { id: 'apr-1' } }, { approvals: undefined }],
    ['approved', approval('approved'), { approval: { id: 'apr-1', approved: true } }],
    [
      'denied, its outcome on the way',
      approval('denied'),
      { isError: true, approval: { id: 'apr-1', approved: false } },
    ],
    [
      'denied',
      { ...approval('denied'), status: 'error', outcome: 'denied' },
      { result: null, isError: true, approval: { id: 'apr-1', approved: false } },
    ],
    [
      'expired',
      { ...approval('expired'), status: 'error', outcome: 'denied' },
      { result: null, isError: true, approval: { id: 'apr-1', resolution: 'expired' } },
    ],
    ['no longer asked about', approval('superseded'), { approval: { id: 'apr-1', resolution: 'cancelled' } }],
    [
      'asked about when the run was cancelled',
      approval('pending'),
      { approval: { id: 'apr-1', resolution: 'cancelled' } },
      { approvals: [asked] },
      { status: 'complete', stopReason: 'cancelled' },
    ],
  ])('%s', (_name, given, expected, more = {}, message = {}) => {
    const parts: HarnessPart[] = [{ type: 'tool', toolCallId: 'c1' }]
    const [part] = converted(answer({ toolCalls: [{ ...call(), ...given }], parts, ...message }), more)
      .content as object[]
    expect(part).toEqual({
      type: 'tool-call',
      toolCallId: 'c1',
      toolName: 'write_file',
      args: { path: 'a' },
      argsText: '{"path":"a"}',
      ...expected,
    })
  })
})

describe('identity', () => {
  const first = state([question, answer({ content: 'Hel', parts: [{ type: 'text', from: 0 }] })])

  test('the same state is the same thread', () => {
    expect(toThreadMessages(first)).toBe(toThreadMessages({ ...first, status: 'idle' }))
  })

  test('a message that did not change stays the same object', () => {
    const second = state([question, { ...first.messages[1]!, content: 'Hello' }])
    const [before, after] = [toThreadMessages(first), toThreadMessages(second)]
    expect(after[0]).toBe(before[0])
    expect(after[1]).not.toBe(before[1])
    expect(after.map(textOf)).toEqual(['Hi', 'Hello'])
  })

  test('an approval or an error shows in a message that is the same', () => {
    const waiting = answer({ toolCalls: [{ ...call(), ...approval('pending') }] })
    expect(statuses(state([waiting]))).toEqual(['running'])
    expect(statuses(state([waiting], { approvals: [asked] }))).toEqual(['requires-action'])
    const [old, failed] = [answer({ status: 'error' }), answer({ id: 'm-4', status: 'error' })]
    expect(toThreadMessages(state([old, failed], { error: 'No.' })).map(({ status }) => status)).toEqual([
      { type: 'incomplete', reason: 'error' },
      { type: 'incomplete', reason: 'error', error: 'No.' },
    ])
  })
})

test('a question that belongs to no call on the page is a message of its own', () => {
  const budget: HarnessApproval = {
    id: 'apr-9',
    kind: 'budget',
    toolCallId: 'apr-9',
    toolName: 'budget',
    reason: 'More?',
  }
  const thread = toThreadMessages(state([question, answer({})], { approvals: [budget] }))
  expect(thread.at(-1)).toMatchObject({
    id: 'approvals:apr-9',
    status: { type: 'requires-action', reason: 'interrupt' },
    content: [{ type: 'tool-call', toolName: 'budget', approval: { id: 'apr-9', prompt: 'More?' } }],
  })
})

test.each<[string, Partial<HarnessApproval>, object]>([
  ['questions', { questions: [{ id: 'q1', question: 'Which?' }] }, { questions: [{ id: 'q1', question: 'Which?' }] }],
  [
    'a form with a default',
    { schema: { type: 'object' }, default: { port: 1 } },
    { schema: { type: 'object' }, default: { port: 1 } },
  ],
])('[H207] a call that asks %s has them as its arguments, and no approval', (_name, more, args) => {
  const asking: HarnessApproval = { ...asked, kind: 'question', ...more }
  const calls = { toolCalls: [{ ...call(), ...approval('pending') }] }
  const [, message] = toThreadMessages(state([question, answer(calls)], { approvals: [asking] }))
  expect(message?.status).toEqual({ type: 'requires-action', reason: 'interrupt' })
  expect(message?.content).toMatchObject([
    { type: 'tool-call', toolCallId: 'c1', args, argsText: JSON.stringify(args) },
  ])
  const settled = toThreadMessages(state([question, answer(calls)], { approvals: [] }))
  const parts = [message, settled[1]].map((each) => each?.content[0] as { approval?: object })
  expect(parts.map((part) => part.approval)).toEqual([undefined, { id: 'apr-1', resolution: 'cancelled' }])
})

function call(): HarnessToolCall {
  return { id: 'c1', name: 'write_file', status: 'running', arguments: { path: 'a' } }
}

const approval = (status: NonNullable<HarnessToolCall['approval']>['status']): Pick<HarnessToolCall, 'approval'> => ({
  approval: { id: 'apr-1', status },
})

const textOf = ({ content }: ThreadMessage): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('')
const statuses = (given: HarnessState) => toThreadMessages(given).map((message) => message.status?.type)
