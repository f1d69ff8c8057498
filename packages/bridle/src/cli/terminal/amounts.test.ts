import { expect, test } from 'vitest'
import { count, dollars, duration } from './amounts.ts'

test.each([
  [0, '0.0 s'],
  [1_234, '1.2 s'],
  [12_400, '12 s'],
  [59_700, '1 min 0 s'],
  [65_000, '1 min 5 s'],
  // Never 60 seconds beside a minute.
  [119_700, '2 min 0 s'],
])('%i ms', (ms, text) => expect(duration(ms)).toBe(text))

test.each([
  [0, '$0'],
  [12.345, '$12.35'],
  [0.5, '$0.50'],
  [0.0123, '$0.012'],
  [0.000012, '$0.000012'],
])('%f dollars', (amount, text) => expect(dollars(amount)).toBe(text))

test('thousands are set apart', () => expect(count(1_234_567)).toBe('1,234,567'))
