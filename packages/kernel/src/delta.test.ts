import type { Json } from '@bridle/events/json'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  appendTextOperation,
  applyOperations,
  DeltaError,
  type DeltaOperation,
  type JsonValue,
  setOperation,
} from './delta.ts'

describe('[T9] paths', () => {
  test.each<[string, unknown, DeltaOperation, unknown]>([
    ['the empty path is the root', { a: 1 }, setOperation([], { b: 2 }), { b: 2 }],
    ['text at the root', 'ab', appendTextOperation([], 'c'), 'abc'],
    ['a member', { a: 1 }, setOperation(['a'], 2), { a: 2 }],
    ['a new member', {}, setOperation(['a'], 2), { a: 2 }],
    ['null clears: there is no delete', { error: 'x' }, setOperation(['error'], null), { error: null }],
    ['an index', { a: [1, 2] }, setOperation(['a', '0'], 9), { a: [9, 2] }],
    ['the index after the last', { a: [1] }, setOperation(['a', '1'], 2), { a: [1, 2] }],
    ['index 0 of an empty array', { a: [] }, setOperation(['a', 0], 1), { a: [1] }],
    ['text in an array', { a: ['x'] }, appendTextOperation(['a', '0'], 'y'), { a: ['xy'] }],
    ['a missing parent becomes an object', {}, setOperation(['a', 'b', 'c'], 1), { a: { b: { c: 1 } } }],
    ['even under a number', {}, setOperation(['a', '0'], 1), { a: { 0: 1 } }],
    ['null is missing', { a: null }, setOperation(['a', 'b'], 1), { a: { b: 1 } }],
    ['behind the last element', { a: [] }, setOperation(['a', '0', 'b'], 1), { a: [{ b: 1 }] }],
    ['an array replaces what was there', { a: 'x' }, setOperation(['a'], []), { a: [] }],
    ['an empty name is a name', {}, setOperation([''], 1), { '': 1 }],
    ['no text changes nothing', { a: 'x' }, appendTextOperation(['a'], ''), { a: 'x' }],
    ['a number is a name in an object', { 1: 'a' }, setOperation(['01'], 'b'), { 1: 'a', '01': 'b' }],
  ])('%s', (_name, state, operation, expected) => {
    expect(applyOperations(state, [operation])).toEqual(expected)
  })
})

describe('[T9] refused', () => {
  const state = { text: 'x', number: 1, list: ['a', 'b'], flag: true }
  test.each<[string, unknown]>([
    ['__proto__', setOperation(['__proto__', 'polluted'], true)],
    ['constructor', setOperation(['constructor', 'prototype', 'polluted'], true)],
    ['prototype', setOperation(['prototype'], true)],
    ['__proto__ below a missing parent', setOperation(['new', '__proto__'], true)],
    ['__proto__ at the end', setOperation(['__proto__'], { polluted: true })],
    ['__proto__ of an array', setOperation(['list', '__proto__'], true)],
    ['text for a prototype', appendTextOperation(['__proto__'], 'x')],
    ['the length of an array', setOperation(['list', 'length'], 0)],
    ['a leading zero', setOperation(['list', '01'], 'x')],
    ['a sign', setOperation(['list', '-1'], 'x')],
    ['a fraction', setOperation(['list', '1.5'], 'x')],
    ['an exponent', setOperation(['list', '1e0'], 'x')],
    ['no digits', setOperation(['list', ''], 'x')],
    ['a space', setOperation(['list', ' 1'], 'x')],
    ['other digits', setOperation(['list', '١'], 'x')],
    ['beyond the length', setOperation(['list', '3'], 'x')],
    ['far beyond', setOperation(['list', '99999999999999999999'], 'x')],
    ['below a text', setOperation(['text', '0'], 'x')],
    ['below a number', setOperation(['number', 'a'], 'x')],
    ['below a truth', setOperation(['flag', 'a'], 'x')],
    ['text onto a number', appendTextOperation(['number'], 'x')],
    ['text onto nothing', appendTextOperation(['missing'], 'x')],
    ['text onto an array', appendTextOperation(['list'], 'x')],
    ['text that is none', { type: 'append-text', path: ['text'], value: 5 }],
    ['an unknown operation', { type: 'delete', path: ['text'] }],
    [
      'a path without an end',
      setOperation(
        Array.from({ length: 20_000 }, () => 'deep'),
        1,
      ),
    ],
    ['a name that is no text', { type: 'set', path: [{ toString: () => '__proto__' }], value: 1 }],
  ])('%s: the whole batch, and nothing has changed', (_name, bad) => {
    const before = structuredClone(state)
    const batch = [setOperation(['text'], 'changed'), setOperation(['list', '0'], 'changed'), bad as DeltaOperation]
    expect(() => applyOperations(state, batch)).toThrow(DeltaError)
    expect(() => applyOperations(state, batch)).toThrow(expect.objectContaining({ code: 'bad_operation' }))
    expect(state).toEqual(before)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('identity', () => {
  test('what is untouched stays the same object, what is touched is a copy', () => {
    const state = { a: { x: 1 }, b: { y: [1] }, c: [{ z: 1 }, { z: 2 }] }
    const next = applyOperations(state, [setOperation(['c', '1', 'z'], 3)])
    expect(next).toEqual({ a: { x: 1 }, b: { y: [1] }, c: [{ z: 1 }, { z: 3 }] })
    expect(next.a).toBe(state.a)
    expect(next.b).toBe(state.b)
    expect(next.c[0]).toBe(state.c[0])
    expect(next.c[1]).not.toBe(state.c[1])
    expect(state.c[1]).toEqual({ z: 2 })
  })

  test('setting what is there already changes nothing', () => {
    const state = { a: { b: 'x' }, c: null }
    expect(
      applyOperations(state, [
        setOperation(['a', 'b'], 'x'),
        setOperation(['c'], null),
        appendTextOperation(['a', 'b'], ''),
      ]),
    ).toBe(state)
    expect(applyOperations(state, [])).toBe(state)
  })

  test('a node is copied once per batch', () => {
    const state = deepFreeze({ messages: [{ content: '' }] })
    const batch = Array.from({ length: 50 }, (_, index) => appendTextOperation(['messages', 0, 'content'], `${index}`))
    const copies = vi.spyOn(Array.prototype, 'slice')
    const next = applyOperations(state, batch)
    const times = copies.mock.calls.length
    copies.mockRestore()
    expect(next.messages[0]!.content).toBe(batch.map(({ value }) => value).join(''))
    expect(times).toBe(1)
  })

  test('a value that was set is not written into by what follows', () => {
    const value = { list: [1] }
    const next = applyOperations<{ a?: Json }>({}, [setOperation(['a'], value), setOperation(['a', 'list', '1'], 2)])
    expect(next).toEqual({ a: { list: [1, 2] } })
    expect(value).toEqual({ list: [1] })
  })

  test('the same value set in two places stays two values', () => {
    const value = { n: 1 }
    const next = applyOperations({}, [
      setOperation(['a'], value),
      setOperation(['b'], value),
      setOperation(['a', 'n'], 2),
    ])
    expect(next).toEqual({ a: { n: 2 }, b: { n: 1 } })
  })

  test('a member called __proto__ inside a value is data', () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}}') as Json
    const next = applyOperations<{ a?: Json }>({}, [setOperation(['a'], value), setOperation(['a', 'b'], 1)])
    expect(JSON.stringify(next)).toBe('{"a":{"__proto__":{"polluted":true},"b":1}}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('whatever the operations', () => {
  const name = fc.constantFrom('a', 'b', '0', '1', '2', '01', '', '__proto__', 'constructor', 'prototype', 'length')
  const operation: fc.Arbitrary<DeltaOperation> = fc.oneof(
    fc.record({
      type: fc.constant('set' as const),
      path: fc.array(name, { maxLength: 4 }),
      value: fc.jsonValue() as fc.Arbitrary<JsonValue>,
    }),
    fc.record({
      type: fc.constant('append-text' as const),
      path: fc.array(name, { maxLength: 4 }),
      value: fc.string(),
    }),
    fc.record({
      type: fc.constant('set' as const),
      path: fc.array(name, { maxLength: 3 }),
      value: fc.constantFrom<JsonValue>([], {}, ''),
    }),
  )

  test('they do what a plain copy and assignment does, or change nothing', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(operation, { maxLength: 12 }), (given, batch) => {
        const start = deepFreeze(structuredClone(given))
        const expected = batch.reduce<DeltaOutcome>((state, each) => naive(state, each), {
          value: structuredClone(given),
        })
        const actual = attempt(() => applyOperations<unknown>(start, batch))
        expect(actual).toEqual(expected)
        expect(start).toEqual(given)
      }),
      { numRuns: 2_000 },
    ))

  test('batch by batch or all at once is the same', () =>
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 12 }), (batch) => {
        const valid = batch.filter((each) => !each.path.some((part) => unsafe.has(part)))
        const single = attempt(() => valid.reduce<unknown>((state, each) => applyOperations(state, [each]), { a: [] }))
        expect(attempt(() => applyOperations<unknown>({ a: [] }, valid))).toEqual(single)
      }),
    ))

  test('no prototype is ever touched', () => {
    const before = Object.getOwnPropertyNames(Object.prototype).concat(Object.getOwnPropertyNames(Array.prototype))
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 8 }), (batch) => {
        attempt(() => applyOperations<unknown>({ a: [[]] }, batch))
        expect(
          Object.getOwnPropertyNames(Object.prototype).concat(Object.getOwnPropertyNames(Array.prototype)),
        ).toEqual(before)
      }),
    )
  })
})

type DeltaOutcome = { value: unknown } | 'refused'
const unsafe = new Set(['__proto__', 'constructor', 'prototype'])
const attempt = (act: () => unknown): DeltaOutcome => {
  try {
    return { value: act() }
  } catch (error) {
    if (!(error instanceof DeltaError)) throw error
    return 'refused'
  }
}

/** The rules once more, written the other way: copy everything, walk, assign. */
const naive = (outcome: DeltaOutcome, { type, path, value }: DeltaOperation): DeltaOutcome => {
  if (outcome === 'refused') return outcome
  const holder: { root: unknown } = { root: structuredClone(outcome.value) }
  let parent: Record<string, unknown> | unknown[] = holder
  let last: string = 'root'
  for (const part of path) {
    let node = at(parent, last)
    if (node === undefined || node === null) {
      node = {}
      ;(parent as Record<string, unknown>)[last] = node
    }
    if (typeof node !== 'object') return 'refused'
    if (Array.isArray(node) ? !/^(0|[1-9]\d*)$/.test(part) || Number(part) > node.length : unsafe.has(part))
      return 'refused'
    parent = node as Record<string, unknown>
    last = part
  }
  const before = at(parent, last)
  if (type === 'append-text' && typeof before !== 'string') return 'refused'
  ;(parent as Record<string, unknown>)[last] = type === 'set' ? structuredClone(value) : `${before}${value}`
  return { value: holder.root }
}
const at = (node: object, name: string): unknown =>
  Object.hasOwn(node, name) ? (node as Record<string, unknown>)[name] : undefined

const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) deepFreeze(each)
    Object.freeze(value)
  }
  return value
}
