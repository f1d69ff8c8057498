import type { JsonObject } from '@bridle/events/json'
import { describe, expect, test } from 'vitest'
import { isLastInvalid, isLooping, isRepeated, isResting, type PastCall } from './call-history.ts'

const past = (tool: string, input: JsonObject = {}, reason?: string): PastCall => ({
  call: { tool, input },
  outcome: reason === undefined ? {} : { reason, error: 'Why.' },
})
const open = (tool: string): PastCall => ({ call: { tool, input: {} }, outcome: null })
const invalid = (tool: string) => past(tool, {}, 'arguments_invalid')
const repeated = (tool: string) => past(tool, {}, 'repeated')

describe('the same call again', () => {
  test.each<[string, PastCall[], PastCall['call'], boolean]>([
    ['the first', [], { tool: 'a', input: {} }, false],
    ['the second', [past('a')], { tool: 'a', input: {} }, false],
    ['the third', [past('a'), past('a')], { tool: 'a', input: {} }, true],
    ['the third, while the others run', [open('a'), open('a')], { tool: 'a', input: {} }, true],
    [
      'the fourth, of which the third was not made',
      [past('a'), past('a'), repeated('a')],
      { tool: 'a', input: {} },
      true,
    ],
    [
      'the third, in another order of names',
      [past('a', { x: 1, y: 2 }), past('a', { y: 2, x: 1 })],
      { tool: 'a', input: { x: 1, y: 2 } },
      true,
    ],
    [
      'after malformed arguments, which the log keeps as none',
      [invalid('a'), invalid('a')],
      { tool: 'a', input: {} },
      false,
    ],
    ['other arguments', [past('a', { x: 1 }), past('a', { x: 1 })], { tool: 'a', input: { x: 2 } }, false],
    ['another tool', [past('a'), past('a')], { tool: 'b', input: {} }, false],
    ['another call between', [past('a'), past('a'), past('b')], { tool: 'a', input: {} }, false],
    ['two after another call', [past('a'), past('b'), past('a')], { tool: 'a', input: {} }, false],
  ])('[N28] %s', (_name, before, call, expected) => {
    expect(isRepeated(before, call)).toBe(expected)
  })

  test.each<[string, PastCall[], boolean]>([
    ['two refused', [past('a'), past('a'), repeated('a'), repeated('a')], false],
    ['three refused', [past('a'), past('a'), repeated('a'), repeated('a'), repeated('a')], true],
    ['three refused, not in a row', [repeated('a'), past('b'), repeated('a'), past('b'), repeated('b')], true],
    [
      'three denied by a person in that word',
      Array(3).fill({ call: { tool: 'a', input: {} }, outcome: { reason: 'repeated' } }),
      false,
    ],
    ['three invalid', [invalid('a'), invalid('a'), invalid('a')], false],
  ])('[N28] the turn ends: %s', (_name, calls, expected) => {
    expect(isLooping(calls)).toBe(expected)
  })
})

describe('arguments that do not fit', () => {
  test.each<[string, PastCall[], boolean]>([
    ['the first', [], false],
    ['the second', [invalid('a')], false],
    ['the third in a row', [invalid('a'), invalid('a')], true],
    ['the third in a row for the tool', [invalid('a'), past('b'), invalid('a'), past('b')], true],
    ['a good one between', [invalid('a'), past('a'), invalid('a')], false],
    ['those of another tool', [invalid('b'), invalid('b')], false],
  ])('[N27] %s', (_name, before, expected) => {
    expect(isLastInvalid(before, 'a')).toBe(expected)
  })

  test.each<[string, PastCall[], boolean]>([
    ['no calls', [], false],
    ['two invalid ones', [invalid('a'), invalid('a')], false],
    ['a refusal', [past('a', {}, 'tool_rests'), past('b')], true],
    ['a refusal of another tool', [past('b', {}, 'tool_rests')], false],
  ])('[N27] a tool rests: %s', (_name, before, expected) => {
    expect(isResting(before, 'a')).toBe(expected)
  })
})
