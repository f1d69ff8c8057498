import { expect, test } from 'vitest'
import { ageText, agoText, bytesText, costText, countText, durationText, plural } from './numbers.ts'

test.each([
  [84, '84 ms'],
  [30_000, '30.0 s'],
  [168_000, '2 m 48 s'],
  [11_100_000, '3 h 5 m'],
  [200_000_000, '2 d 7 h'],
])('%i ms lasts %s', (ms, text) => expect(durationText(ms)).toBe(text))

test.each([
  [0, 'now'],
  [20_000, '20 s'],
  [240_000, '4 m'],
  [7_200_000, '2 h'],
  [259_200_000, '3 d'],
])('%i ms is %s old', (ms, text) => expect(ageText(ms)).toBe(text))

test('an age in a sentence', () => {
  expect([0, 4_999, 20_000, 240_000].map(agoText)).toEqual(['just now', 'just now', '20 s ago', '4 m ago'])
})

test('sums, counts, sizes and nouns', () => {
  expect([0, 1.714, 0.00042].map(costText)).toEqual(['$0.00', '$1.71', '$0.00042'])
  expect([512, 142_400, 1_230_000].map(countText)).toEqual(['512', '142k', '1.2M'])
  expect([12, 3_400, 1_230_000].map(bytesText)).toEqual(['12 B', '3.4 kB', '1.2 MB'])
  expect([plural(1, 'reason'), plural(2, 'reason'), plural(0, 'entry', 'entries')]).toEqual([
    '1 reason',
    '2 reasons',
    '0 entries',
  ])
})
