import { expect, test } from 'vitest'
import type { Driver } from '../../stores/driver.ts'
import type { Storage } from './platform.ts'
import { WATCHDOG_MS, WakeTimes } from './wake-times.ts'

const NOW = 1_000_000

const arranged = (row: { hands: number | null; at: number | null }, before: number | null = null) => {
  const alarms: (number | null)[] = []
  const storage = {
    getAlarm: async () => before,
    setAlarm: async (at: number) => void alarms.push(at),
    deleteAlarm: async () => void alarms.push(null),
  } as unknown as Storage
  const times = new WakeTimes({
    storage,
    driver: { get: () => row } as unknown as Driver,
    now: () => NOW,
    watchdogMs: WATCHDOG_MS,
  })
  return { times, alarms }
}

test.each<[string, { hands: number | null; at: number | null }, (number | null)[]]>([
  ['nothing to do: none', { hands: null, at: null }, []],
  ['a run is wanted: the watchdog', { hands: 1, at: null }, [NOW + WATCHDOG_MS]],
  ['something is due: then', { hands: 0, at: NOW + 5 }, [NOW + 5]],
  ['both: the earlier', { hands: 1, at: NOW + 5 }, [NOW + 5]],
  ['what is overdue: now', { hands: null, at: NOW - 5 }, [NOW]],
])('[CF3] one alarm: %s', (_name, row, expected) => {
  const { times, alarms } = arranged(row)
  times.arrange()
  times.arrange()
  expect(alarms).toEqual(expected)
})

test('[CF3] a watchdog that is set is not moved by every write, and is set anew when it rang', async () => {
  const { times, alarms } = arranged({ hands: 1, at: null }, NOW + 10)
  await times.load()
  times.arrange()
  expect(alarms).toEqual([])
  times.rang()
  times.arrange()
  expect(alarms).toEqual([NOW + WATCHDOG_MS])
})

test('[CF3] what is to be tried again joins it, and leaves it', () => {
  const { times, alarms } = arranged({ hands: null, at: null })
  times.retry(NOW + 7)
  times.retry(null)
  expect(alarms).toEqual([NOW + 7, null])
})

test('[CF13] a fresh invocation is wanted: now, and then the watchdog again', () => {
  const { times, alarms } = arranged({ hands: 1, at: null })
  times.arrange()
  times.hop()
  times.rang()
  times.arrange()
  expect(alarms).toEqual([NOW + WATCHDOG_MS, NOW, NOW + WATCHDOG_MS])
})
