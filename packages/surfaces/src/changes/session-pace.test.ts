// How often the changes of one session are sent, on a clock of the test.

import type { Clock } from '@bridle/kernel/ports/clock'
import type { DirectoryRow } from '@bridle/kernel/ports/directory'
import type { RowChange } from '@bridle/kernel/ports/row-observer'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SessionPace } from './session-pace.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => vi.useRealTimers())

const clock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}
const key = { tenant: 't', agent: 'scripted', id: 's' }
const rowOf = (title: string, updatedAt = 0): DirectoryRow => ({
  kind: 'chat',
  status: 'running',
  title,
  createdAt: 0,
  updatedAt,
  parent: null,
  approvals: [],
  detail: {},
})
const changeOf = (row: DirectoryRow | null, head = 1): RowChange => ({
  ...{ key, owner: null, head, incarnation: 1, row, before: null },
})

/** Titles with the time at which they were sent, and the title that was known before. */
const paceOf = (known: DirectoryRow | null = null) => {
  const sent: string[] = []
  let idle = 0
  const started = Date.now()
  const pace = new SessionPace(known, {
    clock,
    send: (change, before) =>
      sent.push(`${Date.now() - started} ${change.row?.title ?? 'removed'} after ${before?.title ?? 'none'}`),
    onIdle: () => {
      idle += 1
    },
  })
  return { pace, sent, idleCount: () => idle }
}

test('[F55] a session that changes all the time is sent at once, and then four times a second, the newest row each time', () => {
  const { pace, sent } = paceOf(rowOf('zero'))
  for (let ms = 0; ms < 1_000; ms += 10) {
    pace.add(changeOf(rowOf(`n${ms}`)))
    vi.advanceTimersByTime(10)
  }
  expect(sent).toEqual([
    '0 n0 after zero',
    '250 n240 after n0',
    '500 n490 after n240',
    '750 n740 after n490',
    '1000 n990 after n740',
  ])
})

test('[F55] a row in which only the time has changed is sent once a second', () => {
  const { pace, sent } = paceOf()
  for (let ms = 0; ms < 2_500; ms += 100) {
    pace.add(changeOf(rowOf('same', ms), ms))
    vi.advanceTimersByTime(100)
  }
  expect(sent.map((line) => Number.parseInt(line, 10))).toEqual([0, 1_000, 2_000])
})

test('[F55] a change that a list shows does not wait for the second of one that it does not show', () => {
  const { pace, sent } = paceOf()
  pace.add(changeOf(rowOf('a')))
  vi.advanceTimersByTime(100)
  pace.add(changeOf(rowOf('a', 5)))
  vi.advanceTimersByTime(300)
  pace.add(changeOf(rowOf('b', 6)))
  vi.advanceTimersByTime(10)
  expect(sent).toEqual(['0 a after none', '400 b after a'])
})

test('[F55] after a second without changes nothing is left of a session', () => {
  const { pace, sent, idleCount } = paceOf()
  pace.add(changeOf(rowOf('a')))
  vi.advanceTimersByTime(999)
  expect(idleCount()).toBe(0)
  vi.advanceTimersByTime(1)
  expect([idleCount(), vi.getTimerCount(), sent.length]).toEqual([1, 0, 1])
})

test('[F57] a removal is sent at once, and the change that waited is not', () => {
  const { pace, sent, idleCount } = paceOf()
  pace.add(changeOf(rowOf('a')))
  vi.advanceTimersByTime(10)
  pace.add(changeOf(rowOf('b')))
  pace.add(changeOf(null))
  expect(sent).toEqual(['0 a after none', '10 removed after a'])
  vi.advanceTimersByTime(2_000)
  expect([sent.length, idleCount(), vi.getTimerCount()]).toEqual([2, 1, 0])
})
