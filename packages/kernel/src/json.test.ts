import { canonicalJson, hashText, isDeeperThan, omit, ownProperty, present } from '@bridle/events/json'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { isId } from './event.ts'

describe('canonical', () => {
  test.each<[unknown, string]>([
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ b: [{ d: 1, c: 2 }], a: null }, '{"a":null,"b":[{"c":2,"d":1}]}'],
    [[2, 1], '[2,1]'],
    [{ a: undefined }, '{}'],
    [undefined, 'null'],
    [JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
    [{ 2: 'b', 10: 'a', x: 1 }, '{"2":"b","10":"a","x":1}'],
  ])('%j', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  test('equal data is equal text, whatever the order of its members', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse())
        expect(canonicalJson(reversed)).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    ))
})

test('a hash is short, in hex, and of the text alone', () => {
  expect(hashText('a')).toMatch(/^[0-9a-f]{14}$/)
  expect(hashText('a')).toBe(hashText('a'))
  expect(new Set(['', 'a', 'b', 'ab', 'ba', 'a\0'].map((text) => hashText(text))).size).toBe(6)
})

test('names from outside find no prototype', () => {
  expect(ownProperty({ a: 1 }, 'a')).toBe(1)
  expect(ownProperty({ a: 1 }, '__proto__')).toBeUndefined()
  expect(ownProperty({ a: 1 }, 'toString')).toBeUndefined()
  expect(omit({ a: 1, b: 2 }, 'a')).toEqual({ b: 2 })
})

const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { value }
  return value
}
test.each<[unknown, number, boolean]>([
  [1, 0, false],
  [{}, 0, false],
  [[1], 0, false],
  [[[]], 0, false],
  [[[1]], 0, true],
  [{ a: 1, b: { c: 1 } }, 0, true],
  [{ a: null }, 0, false],
])('%j deeper than %i: %s', (value, most, expected) => {
  expect(isDeeperThan(value, most)).toBe(expected)
})

test.each([
  [101, false],
  [102, true],
  [100_000, true],
])('%i levels are deeper than 100 may be: %s', (levels, expected) => {
  expect(isDeeperThan(nested(levels), 100)).toBe(expected)
})

test.each<[unknown, boolean]>([
  ['a', true],
  ['user:abc@example.com-1._', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['', false],
  ['a/b', false],
  ['a b', false],
  ['a\n', false],
  ['é', false],
  [7, false],
])('id %j: %s', (value, valid) => {
  expect(isId(value)).toBe(valid)
})

describe('present', () => {
  test.each<[object, object]>([
    [{}, {}],
    [{ a: undefined }, {}],
    [
      { a: 1, b: undefined, c: null, d: 0, e: '', f: false },
      { a: 1, c: null, d: 0, e: '', f: false },
    ],
    [{ a: { b: undefined } }, { a: { b: undefined } }],
  ])('%j', (record, expected) => {
    const result = present(record)
    expect(result).toStrictEqual(expected)
    expect(Object.keys(result)).toEqual(Object.keys(expected))
  })

  test('a field that may be undefined becomes an optional one', () => {
    const record = present({ id: 's', limit: undefined as number | undefined, cursor: null as string | null })
    expectTypeOf(record).branded.toEqualTypeOf<{ id: string; limit?: number; cursor: string | null }>()
    const filter: { readonly id: string; readonly limit?: number } = record
    expect(filter).toEqual({ id: 's', cursor: null })
  })
})
