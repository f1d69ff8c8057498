import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Paced } from './paced.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('[C251] a drag shows its first event at once, then the newest at each step of the pace, and the last one when it rests', () => {
  const shown: number[] = []
  const paced = new Paced((seq: number) => shown.push(seq))
  // A hundred thousand events within a second, one each frame.
  for (let frame = 0; frame < 60; frame += 1) {
    paced.push(frame * 1_666, 150)
    vi.advanceTimersByTime(16)
  }
  expect(shown.length).toBeLessThan(9)
  expect(shown[0]).toBe(0)
  vi.advanceTimersByTime(200)
  expect(shown.at(-1)).toBe(59 * 1_666)
  expect(shown).toEqual(shown.toSorted((a, b) => a - b))
})

test('[C251] a step after a rest is shown at once, as is each step of a log that plays', () => {
  const shown: number[] = []
  const paced = new Paced((seq: number) => shown.push(seq))
  for (const seq of [1, 2, 3]) {
    paced.push(seq, 150)
    vi.advanceTimersByTime(400)
  }
  for (const seq of [4, 5, 6]) paced.push(seq, 0)
  expect(shown).toEqual([1, 2, 3, 4, 5, 6])
})

test('nothing is shown after its end', () => {
  const shown: number[] = []
  const paced = new Paced((seq: number) => shown.push(seq))
  paced.push(1, 150)
  paced.push(2, 150)
  paced.end()
  vi.advanceTimersByTime(1_000)
  expect(shown).toEqual([1])
})
