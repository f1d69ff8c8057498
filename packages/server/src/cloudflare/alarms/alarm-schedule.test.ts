import type { Wake } from '@bridle/kernel/ports/log'
import { expect, test } from 'vitest'
import type { DurableStorage } from '../platform/platform.ts'
import { WATCHDOG_MS } from '../session-parts.ts'
import { AlarmSchedule } from './alarm-schedule.ts'

const NOW = 1_000_000

const arranged = (wake: Partial<Wake>, before: number | null = null, now = () => NOW) => {
  const alarms: (number | null)[] = []
  const storage = {
    getAlarm: async () => before,
    setAlarm: async (at: number) => void alarms.push(at),
    deleteAlarm: async () => void alarms.push(null),
  } as unknown as DurableStorage
  const nextWake = () => ({ inHand: false, dueAt: null, ...wake })
  return { times: new AlarmSchedule({ storage, nextWake, now, watchdogMs: WATCHDOG_MS }), alarms }
}

test.each<[string, Partial<Wake>, (number | null)[]]>([
  ['nothing to do: none', {}, []],
  ['a run is wanted: the watchdog', { inHand: true }, [NOW + WATCHDOG_MS]],
  ['something is due: then', { dueAt: NOW + 5 }, [NOW + 5]],
  ['both: the earlier', { inHand: true, dueAt: NOW + 5 }, [NOW + 5]],
  ['both, and the watchdog first', { inHand: true, dueAt: NOW + WATCHDOG_MS + 1 }, [NOW + WATCHDOG_MS]],
  ['what is overdue: now', { dueAt: NOW - 5 }, [NOW]],
])('[CF3] one alarm: %s', (_name, wake, expected) => {
  const { times, alarms } = arranged(wake)
  times.update()
  times.update()
  expect(alarms).toEqual(expected)
})

test('[CF3] a watchdog that is set is not moved by every write, and is set anew when it rang', async () => {
  const { times, alarms } = arranged({ inHand: true }, NOW + 10)
  await times.load()
  times.update()
  expect(alarms).toEqual([])
  times.alarmFired()
  times.update()
  expect(alarms).toEqual([NOW + WATCHDOG_MS])
})

test('[CF3] one that is due is not put off by what is written before it rings', () => {
  let now = NOW
  const { times, alarms } = arranged({ dueAt: NOW - 5 }, null, () => now)
  for (; now < NOW + 3; now++) times.update()
  expect(alarms).toEqual([NOW])
  times.alarmFired()
  times.update()
  expect(alarms).toEqual([NOW, NOW + 3])
})

test('[CF3] what is to be tried again joins it, and leaves it', () => {
  const { times, alarms } = arranged({})
  times.setRetry('told', NOW + 7)
  times.setRetry('told', null)
  expect(alarms).toEqual([NOW + 7, null])
})

test('[CF13] a fresh invocation is wanted: now, and then the watchdog again', () => {
  const { times, alarms } = arranged({ inHand: true })
  times.update()
  times.ringNow()
  times.alarmFired()
  times.update()
  expect(alarms).toEqual([NOW + WATCHDOG_MS, NOW, NOW + WATCHDOG_MS])
})
