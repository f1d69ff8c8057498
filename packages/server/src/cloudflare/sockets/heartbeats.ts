// Heartbeats of an object, sent by its alarm. By default they come while a run is at work, when the object is awake anyway. An idle
// object must sleep, because an object in memory is paid for; an operator may still ask for heartbeats at all times.

import type { AlarmSchedule } from '../alarms/alarm-schedule.ts'
import type { ObjectSockets } from './object-sockets.ts'

/** The interval of document 002, as on Node: a client may take a longer silence for a lost connection. */
const HEARTBEAT_MS = 15_000

export interface HeartbeatOptions {
  /** 0 = none. Absent: every 15 seconds while a run is at work, and none otherwise. */
  readonly heartbeatMs?: number | undefined
  /** Default: three heartbeats. */
  readonly deadAfterMs?: number | undefined
}

interface HeartbeatPorts {
  readonly sockets: Pick<ObjectSockets<never>, 'needsHeartbeats' | 'sendHeartbeats'>
  readonly alarmSchedule: Pick<AlarmSchedule, 'isRunWanted' | 'nextAlarmAt' | 'setRetry'>
  readonly now: () => number
}

export class Heartbeats {
  readonly #ports: HeartbeatPorts
  readonly #heartbeatMs: number
  readonly #deadAfterMs: number
  /** Also to an object that sleeps. */
  readonly #isAlways: boolean
  #dueAt: number | null = null
  /** The heartbeats began at this time. Earlier silence does not count, because a client had nothing to answer. */
  #since = 0

  constructor({ heartbeatMs, deadAfterMs }: HeartbeatOptions, ports: HeartbeatPorts) {
    this.#ports = ports
    this.#heartbeatMs = heartbeatMs ?? HEARTBEAT_MS
    this.#deadAfterMs = deadAfterMs ?? this.#heartbeatMs * 3
    this.#isAlways = heartbeatMs !== undefined
  }

  /** After a wake the time of the next heartbeat is not in memory any more; the alarm that is set has it. */
  resume(): void {
    const { sockets, alarmSchedule, now } = this.#ports
    if (!this.#isAlways) return this.update()
    if (this.#heartbeatMs === 0 || !sockets.needsHeartbeats) return
    alarmSchedule.setRetry(
      'heartbeat',
      Math.min(alarmSchedule.nextAlarmAt ?? Number.POSITIVE_INFINITY, now() + this.#heartbeatMs),
    )
  }

  /** Called after a socket opens and after each commit: sets the time of the next heartbeat, or takes it back when the run is over. */
  update(): void {
    if (!this.#isWanted) return this.#stop()
    if (this.#dueAt !== null) return
    const { alarmSchedule, now } = this.#ports
    if (!this.#isAlways && this.#since === 0) this.#since = now()
    this.#dueAt = now() + this.#heartbeatMs
    alarmSchedule.setRetry('heartbeat', this.#dueAt)
  }

  /** The alarm rang. An object that it woke does not know when its last heartbeat was due, and sends one if it sends them at all times. */
  handleAlarm(): void {
    const { sockets, alarmSchedule, now } = this.#ports
    const isDue = this.#dueAt === null ? this.#isAlways : now() >= this.#dueAt
    if (this.#heartbeatMs === 0 || !isDue) return
    this.#dueAt = null
    alarmSchedule.setRetry('heartbeat', null)
    if (this.#isWanted) sockets.sendHeartbeats(this.#deadAfterMs, this.#since)
    this.update()
  }

  get #isWanted(): boolean {
    const { sockets, alarmSchedule } = this.#ports
    return this.#heartbeatMs > 0 && sockets.needsHeartbeats && (this.#isAlways || alarmSchedule.isRunWanted)
  }

  #stop(): void {
    this.#since = 0
    if (this.#dueAt === null) return
    this.#dueAt = null
    this.#ports.alarmSchedule.setRetry('heartbeat', null)
  }
}
