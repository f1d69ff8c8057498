// [S9] and the delta of each event: what a client gets for it, whole.

import type { Payloads } from '@bridle/events/schemas'
import { describe, expect, test } from 'vitest'
import type { DeltaOperation } from '../delta.ts'
import type { AnyEvent } from '../event.ts'
import { askItem, call, eventReport, outcome, running, started, token } from '../rules/rules.suite.ts'
import { conversationOperations } from './conversation.ts'
import { partText } from './message-parts.ts'
import { emptyState, evolve, evolveInPlace } from './state.ts'

const streaming = () => {
  const life = running()
  life.report(token('Hi'))
  return life.state.conversation
}
const pending = running().state.conversation
const event = <T extends keyof Payloads>(type: T, payload: Payloads[T], more: object = {}): AnyEvent =>
  ({ seq: 99, at: 1, type, payload, run: 'r-2', attempt: 1, ...more }) as unknown as AnyEvent
const at = (...path: string[]) => ['messages', '1', ...path]

describe('[T6] [T7] an event becomes operations', () => {
  test.each<[string, ReturnType<typeof streaming>, AnyEvent, DeltaOperation[]]>([
    [
      'the first token',
      pending,
      event('token', { text: 'Hi' }),
      [
        { type: 'set', path: at('status'), value: 'streaming' },
        { type: 'set', path: at('parts', '0'), value: { type: 'text', from: 0 } },
        { type: 'append-text', path: at('content'), value: 'Hi' },
      ],
    ],
    [
      'the next token is one operation',
      streaming(),
      event('token', { text: ' you' }),
      [{ type: 'append-text', path: at('content'), value: ' you' }],
    ],
    ['no text', streaming(), event('token', { text: '' }), []],
    ['a token of another run', streaming(), event('token', { text: 'x' }, { run: 'r-9' }), []],
    ['hearsay', streaming(), event('error', { message: 'forged' }, { hearsay: true }), []],
    ['usage is not carried', streaming(), event('usage', { input_tokens: 1 }), []],
    ['a response that says the same', streaming(), event('response', { text: 'Hi' }), []],
    [
      'a response that does not',
      streaming(),
      event('response', { text: 'Ho' }),
      [
        { type: 'set', path: at('content'), value: 'Ho' },
        { type: 'set', path: at('parts'), value: [{ type: 'text', from: 0 }] },
      ],
    ],
    [
      'thinking',
      streaming(),
      event('thinking', { text: 'hm' }),
      [{ type: 'set', path: at('parts', '1'), value: { type: 'reasoning', text: 'hm' } }],
    ],
    ['an error', streaming(), event('error', { message: 'broke' }), [{ type: 'set', path: ['error'], value: 'broke' }]],
    [
      'the end',
      streaming(),
      event('turn_end', { turn_id: 'r-2', status: 'completed' }),
      [{ type: 'set', path: at('status'), value: 'complete' }],
    ],
    [
      'a failed end keeps its reason',
      { ...streaming(), error: 'broke' },
      event('turn_end', { turn_id: 'r-2', status: 'failed' }),
      [
        { type: 'set', path: at('status'), value: 'error' },
        { type: 'set', path: at('error'), value: 'broke' },
      ],
    ],
    [
      'a cancelled end',
      streaming(),
      event('turn_end', { turn_id: 'r-2', status: 'cancelled' }),
      [
        { type: 'set', path: at('status'), value: 'complete' },
        { type: 'set', path: at('stopReason'), value: 'cancelled' },
      ],
    ],
    [
      'a status that looks the same from afar',
      streaming(),
      event('session_state', { status: 'awaiting_approval' }),
      [{ type: 'set', path: ['sessionStatus'], value: 'awaiting_approval' }],
    ],
    ['a type of a prototype', streaming(), event('constructor' as 'token', { text: 'x' }), []],
  ])('%s', (_name, state, given, expected) => {
    expect(conversationOperations(state, given)).toEqual(expected)
  })
})

test('[T7] parts are in the order things came, and know their text', () => {
  const life = running()
  life.report(
    eventReport('thinking', { text: 'a' }),
    eventReport('reflection', { text: 'b' }),
    token('one '),
    token('two'),
    call('c1'),
    outcome('c1'),
    token('three'),
    eventReport('thinking', { text: 'c' }),
    eventReport('context_compacted', { original_count: 2, compacted_count: 1, summary: 'short' }),
  )
  expect(life.answer).toMatchObject({
    content: 'one twothree',
    parts: [
      { type: 'reasoning', text: 'ab' },
      { type: 'text', from: 0 },
      { type: 'tool', toolCallId: 'c1' },
      { type: 'text', from: 7 },
      { type: 'reasoning', text: 'c' },
      { type: 'marker', kind: 'context_compacted', text: 'short' },
    ],
  })
  expect([0, 1, 2, 3, 4, 99].map((index) => partText(life.answer, index))).toEqual(['', 'one two', '', 'three', '', ''])
})

test('duplicate names of calls are told apart by their ids', () => {
  const life = running()
  life.report(call('c1'), call('c2'), outcome('c2', 'timeout', { error: 'slow' }), outcome('c1', 'ok', { result: 1 }))
  expect(life.answer.toolCalls).toEqual([
    {
      ...{ id: 'c1', name: 'write', status: 'complete', arguments: { a: 1 }, outcome: 'ok', result: 1 },
      toolOutcome: { status: 'ok' },
    },
    {
      ...{ id: 'c2', name: 'write', status: 'error', arguments: { a: 1 }, outcome: 'timeout', error: 'slow' },
      toolOutcome: { status: 'timeout', error: 'slow' },
    },
  ])
})

test.each(['ok', 'artifact', 'timeout', 'error', 'denied'] as const)('[S4] outcome %s', (status) => {
  const life = running()
  life.report(call('c1'), outcome('c1', status))
  const shown = status === 'ok' || status === 'artifact' ? 'complete' : 'error'
  expect(life.answer.toolCalls).toMatchObject([{ status: shown, outcome: status }])
})

test('[S3] a call that waits for an approval shows as running', () => {
  const life = running()
  life.report(started(), call('c1'), askItem('c1'))
  expect(life.answer.toolCalls).toMatchObject([{ status: 'running' }])
})

describe('a long conversation', () => {
  const turns = 500
  const events = Array.from({ length: turns }, (_, turn) => {
    const [seq, run] = [turn * 3 + 2, `r-${turn * 3 + 2}`]
    return [
      { seq, at: 1, type: 'prompt_queued', payload: { run_id: run, message_id: `m-${seq}`, text: 'x' } },
      { seq: seq + 1, at: 1, type: 'run_requested', payload: { run_id: run, attempt: 1 } },
      {
        seq: seq + 2,
        at: 1,
        type: 'turn_start',
        run,
        payload: { turn_id: run, prompt: 'x', message_id: `m-${seq + 2}` },
      },
    ] as unknown as readonly AnyEvent[]
  }).flat()
  const folded = () => events.reduce((state, event) => evolve(state, event), emptyState)

  test('a fold in place makes the same state, and leaves alone the one that it began with', () => {
    const owned = new Set<object>()
    const half = events.slice(0, turns).reduce((state, event) => evolveInPlace(state, event, owned), emptyState)
    const kept = JSON.stringify(half)
    const further = new Set<object>()
    const whole = events.slice(turns).reduce((state, event) => evolveInPlace(state, event, further), half)
    expect(whole).toEqual(folded())
    expect(JSON.stringify(half)).toBe(kept)
    expect(emptyState.conversation.messages).toEqual([])
    const before = whole.conversation.messages
    const last = {
      seq: turns * 3 + 2,
      at: 1,
      type: 'prompt_queued',
      payload: { run_id: 'r', message_id: 'm', text: 'x' },
    }
    expect(evolveInPlace(whole, last as unknown as AnyEvent, further).conversation.messages).toBe(before)
  })

  test('a new turn looks at a few messages, however many there are', () => {
    const state = folded()
    let reads = 0
    const messages = new Proxy(state.conversation.messages, {
      get: (list, name) => {
        reads += 1
        return Reflect.get(list, name)
      },
    })
    for (const event of events.slice(-3)) conversationOperations({ ...state.conversation, messages }, event)
    expect(reads).toBeLessThan(40)
  })
})
