// The function that applies deltas, at both ends: paths come from the other side.

import { applyOperations, type DeltaOperation } from '@bridle/kernel/delta'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holdsForAll } from './budget.ts'
import { HOSTILE_WORDS } from './hostile.ts'
import { expectPrototypesUnchanged } from './promises.ts'

const name = fc.oneof(
  fc.constantFrom('messages', 'content', 'a', '0', '1', '00', '-1', '1e3', '4294967290', '9007199254740993', 'length'),
  fc.constantFrom(...HOSTILE_WORDS),
)
const operation = fc.record({
  type: fc.constantFrom('set', 'append-text', 'remove', '__proto__'),
  path: fc.oneof(
    { weight: 9, arbitrary: fc.array(name, { maxLength: 5 }) },
    fc.constant(Array.from({ length: 5_000 }, () => 'a')),
  ),
  value: fc.oneof(fc.string(), fc.jsonValue(), fc.constant({ polluted: true })),
})

test('no path reaches a prototype, makes a list of holes, or leaves a state that is half changed', async () => {
  await holdsForAll(fc.array(operation, { maxLength: 4 }), (operations) => {
    const state = { messages: [{ content: 'a' }, { content: 'b' }], a: { b: [] } }
    const before = JSON.stringify(state)
    try {
      const after = applyOperations(state as never, operations as unknown as DeltaOperation[])
      expect(JSON.stringify(after).length).toBeLessThan(200_000)
    } catch (error) {
      expect(error).toBeInstanceOf(Error)
      expect((error as Error).name).not.toBe('RangeError')
    }
    expect(JSON.stringify(state)).toBe(before)
    expectPrototypesUnchanged()
    expect(({} as { polluted?: true }).polluted).toBeUndefined()
  })
})
