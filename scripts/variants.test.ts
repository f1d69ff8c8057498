import { expect, test } from 'vitest'
import { rotatingTenth } from './variants.ts'

const rows = (count: number) => Array.from({ length: count }, (_, index) => index)
const days = rows(10)

test.each([1, 4, 10, 14, 95])('ten days play every row of a table of %i, and each day some', (count) => {
  const played = days.map((day) => rotatingTenth(rows(count), day, false))
  expect(played.every((each) => each.length > 0)).toBe(true)
  expect([...new Set(played.flat())].sort((a, b) => a - b)).toEqual(rows(count))
  for (const each of played) expect(each.length).toBeLessThanOrEqual(Math.ceil(count / 10))
})

test('the long tests play the whole table', () => {
  expect(rotatingTenth(rows(95), 3, true)).toEqual(rows(95))
})
