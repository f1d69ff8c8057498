import { expect, test } from 'vitest'
import { manualClock } from './connection.suite.ts'
import { type HeartbeatMember, type HeartbeatTimes, HeartbeatWheel, heartbeatWheelOf } from './heartbeat-wheel.ts'

test.each<[string, Partial<HeartbeatTimes>, { beats: number[]; silent: number }]>([
  ['by default', {}, { beats: [15_000, 30_000, 45_000], silent: 46_000 }],
  ['faster', { heartbeatMs: 30, deadAfterMs: 75 }, { beats: [30, 60], silent: 78 }],
  ['when a beat is longer than a life', { heartbeatMs: 300, deadAfterMs: 150 }, { beats: [], silent: 160 }],
  ['when times are too short to divide', { heartbeatMs: 4, deadAfterMs: 10 }, { beats: [4, 8], silent: 11 }],
])('[W14] %s, from the moment it came', (_name, times, expected) => {
  const { pulse, clock, come } = world(times)
  const one = come()
  clock.pass(expected.silent)
  expect(one).toMatchObject({ beats: expected.beats, ended: expected.silent })
  pulse.remove(one)
})

test('[W14] each is counted from its own coming and its own signs of life', () => {
  const { clock, come } = world()
  const early = come()
  clock.pass(10_500)
  const late = come()
  clock.pass(30_000)
  early.hear()
  clock.pass(30_000)
  // Never before its time, and no later than a tick after it.
  expect(late).toMatchObject({ beats: [25_000, 40_000, 55_000], ended: 56_000 })
  expect(early).toMatchObject({ beats: [15_000, 30_000, 45_000, 60_000], ended: null })
  clock.pass(45_500)
  expect(early.ended).toBe(86_000)
})

test('one timer serves all, and none is left when the last has gone', () => {
  const { clock, come, pulse } = world()
  const all = Array.from({ length: 100 }, come)
  expect(clock.size).toBe(1)
  clock.pass(100_000)
  expect(all.every(({ ended }) => ended === 46_000)).toBe(true)
  expect(clock.size).toBe(0)
  const again = come()
  clock.pass(15_000)
  expect(again.beats).toHaveLength(1)
  pulse.remove(again)
  expect(clock.size).toBe(0)
})

test('wall time that jumps ends nobody', () => {
  const { clock, come } = world()
  const one = come()
  clock.jump(1_000_000)
  clock.pass(1_000)
  clock.jump(-2_000_000)
  clock.pass(1_000)
  expect(one).toMatchObject({ beats: [], ended: null })
})

test('a server has one pulse', () => {
  const [one, other] = [{ clock: manualClock() }, { clock: manualClock() }]
  expect(heartbeatWheelOf(one)).toBe(heartbeatWheelOf(one))
  expect(heartbeatWheelOf(one)).not.toBe(heartbeatWheelOf(other))
})

const world = (times: Partial<HeartbeatTimes> = {}) => {
  const clock = manualClock()
  const pulse = new HeartbeatWheel({ clock, ...times })
  const come = (): FakeHeartbeatMember => {
    const one = new FakeHeartbeatMember(pulse, () => clock.elapsed)
    pulse.add(one)
    return one
  }
  return { clock, pulse, come }
}

class FakeHeartbeatMember implements HeartbeatMember {
  readonly joinedTick: number
  lastHeardTick: number
  readonly beats: number[] = []
  ended: number | null = null
  readonly #pulse: HeartbeatWheel
  readonly #time: () => number

  constructor(pulse: HeartbeatWheel, time: () => number) {
    this.joinedTick = pulse.tick
    this.lastHeardTick = pulse.tick
    this.#pulse = pulse
    this.#time = time
  }

  hear(): void {
    this.lastHeardTick = this.#pulse.tick
  }

  sendHeartbeat(): void {
    this.beats.push(this.#time())
  }

  onSilence(): void {
    this.ended = this.#time()
    this.#pulse.remove(this)
  }
}
