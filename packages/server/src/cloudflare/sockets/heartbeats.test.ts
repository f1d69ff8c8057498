import { expect, test } from 'vitest'
import { heartbeatMsFrom } from '../platform/options.ts'
import { type HeartbeatOptions, Heartbeats } from './heartbeats.ts'

/** An object at time 0, with a socket. `beats` are the heartbeats: when, how long a socket may be silent, and since when that counts. */
const createObject = (options: HeartbeatOptions, { needsHeartbeats = true } = {}) => {
  const beats: [at: number, silentMs: number, since: number][] = []
  const state = { now: 0, alarmAt: null as number | null, isRunWanted: false }
  const heartbeats = new Heartbeats(options, {
    sockets: { needsHeartbeats, sendHeartbeats: (silentMs, since) => beats.push([state.now, silentMs, since]) },
    alarmSchedule: {
      get isRunWanted() {
        return state.isRunWanted
      },
      get nextAlarmAt() {
        return state.alarmAt
      },
      setRetry: (_what, at) => {
        state.alarmAt = at
      },
    },
    now: () => state.now,
  })
  const ring = () => {
    state.now = state.alarmAt ?? state.now
    state.alarmAt = null
    heartbeats.handleAlarm()
  }
  return { heartbeats, beats, state, ring }
}

test('[CF25] heartbeats come while a run is at work, and an idle object has no alarm for them', () => {
  const { heartbeats, beats, state, ring } = createObject({})
  heartbeats.resume()
  expect(state.alarmAt).toBeNull()
  // The client was silent for an hour: there was nothing to answer.
  state.now = 3_600_000
  state.isRunWanted = true
  heartbeats.update()
  heartbeats.update()
  ring()
  ring()
  expect(beats).toEqual([
    [3_615_000, 45_000, 3_600_000],
    [3_630_000, 45_000, 3_600_000],
  ])
  state.isRunWanted = false
  heartbeats.update()
  expect(state.alarmAt).toBeNull()
  // An alarm for something else sends none.
  ring()
  expect(beats).toHaveLength(2)
})

test('[CF25] a run that ended with the alarm on its way gets no heartbeat more; the next run begins anew', () => {
  const { heartbeats, beats, state, ring } = createObject({})
  state.isRunWanted = true
  heartbeats.update()
  state.isRunWanted = false
  ring()
  expect([beats, state.alarmAt]).toEqual([[], null])
  Object.assign(state, { now: 100_000, isRunWanted: true })
  heartbeats.update()
  expect(state.alarmAt).toBe(115_000)
  ring()
  expect(beats).toEqual([[115_000, 45_000, 100_000]])
})

test('[CF25] after a wake in the middle of a run heartbeats go on', () => {
  const { heartbeats, state } = createObject({})
  Object.assign(state, { now: 1_000, isRunWanted: true })
  heartbeats.resume()
  expect(state.alarmAt).toBe(16_000)
})

test.each<[string, HeartbeatOptions, { needsHeartbeats: boolean }]>([
  ['heartbeats are turned off', { heartbeatMs: 0 }, { needsHeartbeats: true }],
  ['nobody watches', {}, { needsHeartbeats: false }],
  ['nobody watches, and they come at all times', { heartbeatMs: 100 }, { needsHeartbeats: false }],
])('[CF25] no alarm is set where %s', (_name, options, sockets) => {
  const { heartbeats, state } = createObject(options, sockets)
  state.isRunWanted = true
  heartbeats.resume()
  heartbeats.update()
  expect(state.alarmAt).toBeNull()
})

test('[CF25] with a time of their own they come to an idle object, too, and silence counts from the beginning', () => {
  const { heartbeats, beats, ring } = createObject({ heartbeatMs: 100 })
  heartbeats.resume()
  ring()
  ring()
  expect(beats).toEqual([
    [100, 300, 0],
    [200, 300, 0],
  ])
})

test('[CF25] BRIDLE_HEARTBEAT_MS is a number of milliseconds, or absent', () => {
  const read = (BRIDLE_HEARTBEAT_MS?: string) =>
    heartbeatMsFrom({ BRIDLE_HEARTBEAT_MS } as Parameters<typeof heartbeatMsFrom>[0])
  expect([undefined, '', '0', '15000'].map(read)).toEqual([undefined, undefined, 0, 15_000])
  for (const wrong of ['15s', '-1', '0.5', 'on']) expect(() => read(wrong)).toThrow('BRIDLE_HEARTBEAT_MS is')
})
