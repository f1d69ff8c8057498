import type { JsonObject } from '@bridle/events/json'
import { OUTCOME_TYPES } from '@bridle/events/schemas'
import type { AnyEvent } from '@bridle/kernel/event'
import { describe, expect, test } from 'vitest'
import { CallLookup } from './call-lookup.ts'
import { RunMemo } from './memo.ts'
import { TextReplay } from './text-replay.ts'

type Draft = readonly [type: string, payload: object, run?: string]

/** A memo of run r-1, which continues r-0 of a parent. */
const memoOf = (...drafts: readonly Draft[]): RunMemo => {
  const memo = new RunMemo('r-1', new Set(['r-0', 'r-1']))
  for (const [index, [type, payload, run = 'r-1']] of drafts.entries())
    memo.add({ type, payload, run, attempt: 1, seq: index + 1, at: 1_000 + index } as unknown as AnyEvent)
  return memo
}

const begun: Draft = ['run_requested', { run_id: 'r-1', attempt: 1 }]
const call = (id: string, args: JsonObject, more: object = {}): Draft => [
  'tool_call',
  { name: 'pay', tool_call_id: id, arguments: { ...args, _tool_call_id: id }, effect: 'unsafe', ...more },
]
const outcome = (id: string, more: object = {}): Draft => [
  'tool_outcome',
  { tool_call_id: id, tool_name: 'pay', status: 'ok', outcome_type: OUTCOME_TYPES.ok, result: id, ...more },
]
const failed = (id: string, more: object): Draft =>
  outcome(id, { status: 'error', outcome_type: OUTCOME_TYPES.error, ...more })

describe('[N50] a call is found', () => {
  /** The ids of the calls that a function gets which pays these sums; `+` marks a new call. */
  const paying = (drafts: readonly Draft[], sums: readonly number[]): string[] => {
    const lookup = new CallLookup(memoOf(begun, ...drafts))
    return sums.map((n) => {
      const { call, isNew } = lookup.take('pay', 'pay', { n }, 'unsafe')
      return `${isNew ? '+' : ''}${call.id}${call.stepId === call.id ? '' : ` as ${call.stepId}`}`
    })
  }
  const settled = [call('pay', { n: 1 }), outcome('pay'), call('pay#2', { n: 2 }), outcome('pay#2')]

  test.each<[string, readonly Draft[], readonly number[], string[]]>([
    ['nowhere in an empty log', [], [1, 2, 1], ['+pay', '+pay#2', '+pay#3']],
    ['in its place', settled, [1, 2], ['pay', 'pay#2']],
    ['in another place', settled, [2, 1, 3], ['pay#2', 'pay', '+pay#3']],
    ['once', settled, [1, 1], ['pay', '+pay#3']],
    [
      'settled before open',
      [call('pay', { n: 1 }), call('pay#2', { n: 1 }), outcome('pay#2')],
      [1, 1, 1],
      ['pay#2', 'pay', '+pay#3'],
    ],
    ['with its error', [call('pay', { n: 1 }), failed('pay', { error: 'no' })], [1], ['pay']],
    [
      'with a transient error, while its attempt goes on',
      [call('pay', { n: 1 }), failed('pay', { transient: true })],
      [1],
      ['pay'],
    ],
    [
      'not with a transient error after which the run is tried again: its step key stays',
      [call('pay', { n: 1 }), failed('pay', { transient: true }), ['retry_scheduled', {}]],
      [1, 1],
      ['+pay#2 as pay', '+pay#3'],
    ],
    [
      'as the last of several tries',
      [
        ...[call('pay', { n: 1 }), failed('pay', { transient: true }), ['retry_scheduled', {}] as Draft],
        ...[call('pay#2', { n: 1 }, { retry_of: 'pay' }), outcome('pay#2')],
      ],
      [1, 1],
      ['pay#2 as pay', '+pay#3'],
    ],
    [
      'not where a branch left it in the middle',
      [call('pay', { n: 1 }), failed('pay', { reason: 'branched' })],
      [1],
      ['+pay#2'],
    ],
  ])('%s', (_name, drafts, sums, expected) => expect(paying(drafts, sums)).toEqual(expected))

  test('by its arguments, however their names are sorted, and by its tool', () => {
    const lookup = new CallLookup(memoOf(begun, call('pay', { a: 1, b: { c: [2], d: null } }), outcome('pay')))
    expect(lookup.take('pay', 'charge', { a: 1, b: { c: [2], d: null } }, 'unsafe').isNew).toBe(true)
    expect(lookup.take('other', 'pay', { a: 1, b: { c: [2], d: null } }, 'unsafe').isNew).toBe(true)
    expect(lookup.take('pay', 'pay', { b: { d: null, c: [2] }, a: 1 }, 'unsafe').isNew).toBe(false)
  })

  test('or it is abandoned', () => {
    const lookup = new CallLookup(memoOf(begun, call('pay', { n: 1 }), call('pay#2', { n: 2 })))
    lookup.take('pay', 'pay', { n: 2 }, 'unsafe')
    expect(lookup.abandoned().map(({ id }) => id)).toEqual(['pay'])
  })
})

describe('[N52] text', () => {
  test.each<[string, readonly Draft[], string, string]>([
    [
      'is joined',
      [
        ['token', { text: 'a' }],
        ['thinking', { text: 'x' }],
        ['token', { text: 'b' }],
      ],
      'ab',
      'x',
    ],
    [
      'of another run does not count',
      [
        ['token', { text: 'a' }, 'r-9'],
        ['token', { text: 'b' }],
      ],
      'b',
      '',
    ],
    [
      'that was withdrawn is gone',
      [
        ['token', { text: 'abc' }],
        ['thinking', { text: 'xyz' }],
        ['output_superseded', { keep: { chars: 1, parts: 2, thinking_chars: 2 } }],
      ],
      'a',
      'xy',
    ],
    [
      'that was withdrawn as a whole is gone',
      [
        ['token', { text: 'abc' }],
        ['output_superseded', {}],
        ['token', { text: 'd' }],
      ],
      'd',
      '',
    ],
  ])('%s', (_name, drafts, text, thoughts) => {
    const memo = memoOf(begun, ...drafts)
    expect([memo.text, memo.thoughts]).toEqual([text, thoughts])
  })

  test('of the run that a branch continues cannot be withdrawn', () => {
    const memo = memoOf(
      ['token', { text: 'old ' }, 'r-0'],
      begun,
      ['token', { text: 'new' }],
      ['output_superseded', { keep: { chars: 1, parts: 1, thinking_chars: 0 } }],
    )
    expect([memo.text, memo.inherited.text]).toEqual(['old n', 4])
  })

  /** The new pieces and the marks, and the mark at the end. */
  const saying = (log: string, pieces: readonly string[], calls: readonly [number, number][] = []) => {
    const replay = new TextReplay(log)
    for (const [from, to] of calls) replay.addCall(from, to)
    const said = pieces.flatMap((piece) => {
      const { text, keep } = replay.say(piece)
      return [...(keep === null ? [] : [keep]), ...(text === '' ? [] : [text])]
    })
    return [said, replay.end()]
  }

  test.each<[string, string, readonly string[], [number, number][], unknown]>([
    ['nothing is in the log', '', ['a', 'b'], [], [['a', 'b'], null]],
    ['the same in other pieces', 'abcd', ['a', 'bc', 'd', 'e'], [], [['e'], null]],
    ['a piece continues the log', 'ab', ['abc', 'd'], [], [['c', 'd'], null]],
    ['a piece differs', 'abcd', ['a', 'bx', 'y'], [], [[2, 'x', 'y'], null]],
    ['the end is not said again', 'abcd', ['ab'], [], [[], 2]],
    ['a call said the middle', 'a b c', ['a ', 'c'], [[2, 4]], [[], null]],
    ['a call said the end', 'a b ', ['a '], [[2, 4]], [[], null]],
    ['a call said the middle, and the rest differs', 'a b c', ['a ', 'x'], [[2, 4]], [[2, 'x'], null]],
    ['text beside a call that ran at the same time', 'abcd', ['a', 'b', 'c', 'd'], [[1, 3]], [[], null]],
  ])('%s', (_name, log, pieces, calls, expected) => expect(saying(log, pieces, calls)).toEqual(expected))
})

test('[N51] a question that an agent only claims to have asked is none', () => {
  const claim = { type: 'approval_required', payload: { request_id: 'a', tool_call_id: 'pay', reason: '' }, run: 'r-1' }
  const memo = memoOf(begun)
  memo.follow({ ...claim, seq: 2, at: 1, hearsay: true } as unknown as AnyEvent)
  expect(memo.approvals.size).toBe(0)
  memo.follow({ ...claim, seq: 3, at: 1 } as unknown as AnyEvent)
  expect(memo.approvals.size).toBe(1)
})
