import { describe, expect, test } from 'vitest'
import {
  ageText,
  agoText,
  bytesText,
  costText,
  countText,
  durationText,
  elapsedText,
  exactCostText,
  exactCountText,
  plural,
  roughTimeText,
} from './amounts.ts'

describe('a duration', () => {
  test.each([
    [0, '0 s'],
    [0.4, '0 ms'],
    [84, '84 ms'],
    [999.6, '1 s'],
    [1_234, '1.2 s'],
    [5_000, '5 s'],
    [9_960, '10 s'],
    [12_400, '12 s'],
    // Never 60 seconds, and none beside a minute.
    [59_700, '1 m'],
    [119_700, '2 m'],
    [65_000, '1 m 5 s'],
    [168_000, '2 m 48 s'],
    [3_599_700, '1 h'],
    [11_100_000, '3 h 5 m'],
    [200_000_000, '2 d 7 h'],
    [172_800_000, '2 d'],
  ])('%d ms', (ms, text) => expect(durationText(ms)).toBe(text))

  test.each([
    [-5, '0 s'],
    [499, '0 s'],
    [4_900, '5 s'],
    [65_400, '1 m 5 s'],
  ])('elapsed so far: %d ms', (ms, text) => expect(elapsedText(ms)).toBe(text))
})

test.each([
  [0, 'now', 'just now'],
  [4_999, 'now', 'just now'],
  [20_000, '20 s', '20 s ago'],
  [240_000, '4 m', '4 m ago'],
  [7_200_000, '2 h', '2 h ago'],
  [259_200_000, '3 d', '3 d ago'],
])('%d ms old', (ms, age, ago) => expect([ageText(ms), agoText(ms)]).toEqual([age, ago]))

test('the time left counts down to the second', () => expect(roughTimeText(1_900)).toBe('1 s'))

test.each([
  [0, '$0.00', '$0.00'],
  [12.345, '$12.35', '$12.345'],
  [0.5, '$0.50', '$0.50'],
  [0.0125, '$0.01', '$0.0125'],
  [0.000_42, '$0.00042', '$0.00042'],
  [0.000_000_12, '$0.00000012', '$0.00000012'],
  [0.081_999_999_999_999_99, '$0.08', '$0.082'],
  [-0.5, '-$0.50', '-$0.50'],
])('%d dollars', (usd, short, exact) => expect([costText(usd), exactCostText(usd)]).toEqual([short, exact]))

test.each([
  [0, '0', '0'],
  [512, '512', '512'],
  [9_999, '9999', '9,999'],
  [142_300, '142k', '142,300'],
  [999_600, '1.0M', '999,600'],
  [1_234_567, '1.2M', '1,234,567'],
  [1.234, '1.234', '1.23'],
  [-1_500, '-1500', '-1,500'],
])('%d of something', (count, short, exact) =>
  expect([countText(count), exactCountText(count)]).toEqual([short, exact]),
)

test.each([
  [12, '12 B'],
  [3_400, '3.4 kB'],
  [999_960, '1.0 MB'],
  [1_230_000, '1.2 MB'],
])('%d bytes', (bytes, text) => expect(bytesText(bytes)).toBe(text))

test('nouns', () =>
  expect([plural(1, 'reason'), plural(2_000, 'reason'), plural(0, 'entry', 'entries')]).toEqual([
    '1 reason',
    '2,000 reasons',
    '0 entries',
  ]))
