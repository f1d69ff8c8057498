// Checked against assistant-stream's own tracker, the origin of these operations.
import { AssistantTransportDeltaTracker } from 'assistant-stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyOperations, type DeltaOperation } from './delta.ts'

/*
 * Intended differences, each excluded from the comparison below and shown by a test of its own:
 * 1. An index is `0` or digits without a leading zero. Theirs takes whatever Number() takes: "", " 1", "0x1", "1e0".
 */
const names = [
  'a',
  'b',
  'messages',
  'content',
  '0',
  '1',
  '2',
  '10',
  'toString',
  '__proto__',
  'constructor',
  'prototype',
  'length',
  '-1',
]
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'content', 'messages'), tie('value'), { maxKeys: 3 }),
  ),
})).value
const path = fc.array(fc.constantFrom(...names), { maxLength: 4 })
const operation = fc.oneof(
  fc.record({ type: fc.constant('set'), path, value }),
  fc.record({ type: fc.constant('append-text'), path, value: fc.string() }),
) as fc.Arbitrary<DeltaOperation>

const ours = (state: unknown, operations: readonly DeltaOperation[]) => {
  try {
    return { state: applyOperations(state, operations) }
  } catch {
    return 'refused'
  }
}
const theirs = (state: unknown, operations: readonly DeltaOperation[]) => {
  try {
    const tracker = new AssistantTransportDeltaTracker(state as never)
    tracker.append(operations as never)
    return { state: tracker.state as unknown }
  } catch {
    return 'refused'
  }
}

test('the same states, and the same refusals', () => {
  fc.assert(
    fc.property(value, fc.array(operation, { maxLength: 6 }), (state, operations) => {
      expect(ours(state, operations)).toEqual(theirs(state, operations))
    }),
    { numRuns: 5_000 },
  )
})

test.each(['', ' 1', '01', '0x1', '1e0', '+1'])('"%s" is no index of ours', (index) => {
  expect(ours({ list: ['a', 'b'] }, [{ type: 'set', path: ['list', index], value: 'c' }])).toBe('refused')
})
