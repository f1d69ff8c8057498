import { afterEach, expect, test, vi } from 'vitest'
import { processMetrics } from './process-metrics.ts'

afterEach(() => void vi.restoreAllMocks())

const startTime = (): number => {
  const metric = processMetrics().find(({ name }) => name === 'process_start_time_seconds')
  return metric?.type === 'gauge' ? (metric.rows[0]?.value ?? Number.NaN) : Number.NaN
}

test('[O7] the start of the process stays the same when the clock of the machine is set', () => {
  const started = startTime()
  expect(started).toBeGreaterThan(1_700_000_000)
  const later = Date.now() + 600_000
  vi.spyOn(Date, 'now').mockReturnValue(later)
  expect(startTime()).toBe(started)
})
