import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withDeadline } from './deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('its timer goes with its answer, good or bad', async () => {
  expect(await withDeadline(1_000, async () => 'here')).toBe('here')
  await expect(withDeadline(1_000, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(vi.getTimerCount()).toBe(0)
})

test('what takes longer is told to stop', async () => {
  const asked = withDeadline(1_000, (signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)))
  const ended = expect(asked).rejects.toMatchObject({ type: 'abort' })
  await vi.advanceTimersByTimeAsync(1_000)
  await ended
})
