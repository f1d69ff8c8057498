import { expect, test } from 'vitest'
import type { DirectoryRow } from '../../../kernel/ports/store.ts'
import type { DurableStorage } from '../platform.ts'
import { AlarmSchedule, WATCHDOG_MS } from './alarm-schedule.ts'

const NOW = 1_000_000

interface SessionRows {
  /** Rows of sessions that have something in hand. */
  readonly inHand?: readonly object[]
  readonly due?: number
}

const arranged = ({ inHand = [], due }: SessionRows, before: number | null = null, now = () => NOW) => {
  const alarms: (number | null)[] = []
  const storage = {
    getAlarm: async () => before,
    setAlarm: async (at: number) => void alarms.push(at),
    deleteAlarm: async () => void alarms.push(null),
  } as unknown as DurableStorage
  const wakes = {
    inHand: () => inHand.map((row) => (row === damaged ? null : ({ ...quiet, ...row } as unknown as DirectoryRow))),
    earliestDueAt: () => due ?? null,
  }
  return { times: new AlarmSchedule({ storage, wakes, now, watchdogMs: WATCHDOG_MS }), alarms }
}

const damaged = {}
const quiet = { kind: 'chat', status: 'running', approvals: [], detail: { expiresAt: null } }
const asking = (...expiries: (number | null)[]) => ({ approvals: expiries.map((expiresAt) => ({ expiresAt })) })
const background = { kind: 'background', status: 'awaiting_approval', detail: { expiresAt: NOW + 7 } }

test.each<[string, SessionRows, (number | null)[]]>([
  ['nothing to do: none', {}, []],
  ['a run is wanted: the watchdog', { inHand: [{}] }, [NOW + WATCHDOG_MS]],
  ['something is due: then', { due: NOW + 5 }, [NOW + 5]],
  ['both: the earlier', { inHand: [{}], due: NOW + 5 }, [NOW + 5]],
  ['what is overdue: now', { due: NOW - 5 }, [NOW]],
  ['a run waits for an answer: when the time for it is over', { inHand: [asking(null, NOW + 9, NOW + 8)] }, [NOW + 8]],
  ['and that is left to whoever has it once it is over', { inHand: [asking(NOW)] }, [NOW + WATCHDOG_MS]],
  ['work that waits for an answer may be over before', { inHand: [{ ...asking(NOW + 8), ...background }] }, [NOW + 7]],
  ['work that is under way may finish', { inHand: [{ ...background, status: 'running' }] }, [NOW + WATCHDOG_MS]],
  ['a damaged row: the watchdog', { inHand: [damaged, asking(NOW + 8)] }, [NOW + 8]],
])('[CF3] one alarm: %s', (_name, log, expected) => {
  const { times, alarms } = arranged(log)
  times.update()
  times.update()
  expect(alarms).toEqual(expected)
})

test('[CF3] a watchdog that is set is not moved by every write, and is set anew when it rang', async () => {
  const { times, alarms } = arranged({ inHand: [{}] }, NOW + 10)
  await times.load()
  times.update()
  expect(alarms).toEqual([])
  times.alarmFired()
  times.update()
  expect(alarms).toEqual([NOW + WATCHDOG_MS])
})

test('[CF3] one that is due is not put off by what is written before it rings', () => {
  let now = NOW
  const { times, alarms } = arranged({ due: NOW - 5 }, null, () => now)
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
  const { times, alarms } = arranged({ inHand: [{}] })
  times.update()
  times.ringNow()
  times.alarmFired()
  times.update()
  expect(alarms).toEqual([NOW + WATCHDOG_MS, NOW, NOW + WATCHDOG_MS])
})
