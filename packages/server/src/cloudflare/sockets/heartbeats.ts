// By default, heartbeats are sent only while a run keeps the object awake anyway: waking an idle object costs compute.

import type { AlarmSchedule } from '../alarms/alarm-schedule.ts'
import type { ObjectSockets } from './object-sockets.ts'

/** The interval of document 002, as on Node. Clients may take a longer silence for a lost connection. */
const HEARTBEAT_MS = 15_000

export interface HeartbeatOptions {
  /** 0: never. Absent: every 15 seconds, but only while a run is active. */
  readonly heartbeatMs?: number | undefined
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
  readonly #isAlways: boolean
  #dueAt: number | null = null
  /** Silence before the first heartbeat does not count, because clients had nothing to answer. */
  #since = 0

  constructor({ heartbeatMs, deadAfterMs }: HeartbeatOptions, ports: HeartbeatPorts) {
    this.#ports = ports
    this.#heartbeatMs = heartbeatMs ?? HEARTBEAT_MS
    this.#deadAfterMs = deadAfterMs ?? this.#heartbeatMs * 3
    this.#isAlways = heartbeatMs !== undefined
  }

  /** The due time is lost in hibernation, but the pending alarm still has it. */
  resume(): void {
    const { sockets, alarmSchedule, now } = this.#ports
    if (!this.#isAlways) return this.update()
    if (this.#heartbeatMs === 0 || !sockets.needsHeartbeats) return
    alarmSchedule.setRetry(
      'heartbeat',
      Math.min(alarmSchedule.nextAlarmAt ?? Number.POSITIVE_INFINITY, now() + this.#heartbeatMs),
    )
  }

  /** Schedules or cancels the next heartbeat. Called after a socket opens and after each commit. */
  update(): void {
    if (!this.#isWanted) return this.#stop()
    if (this.#dueAt !== null) return
    const { alarmSchedule, now } = this.#ports
    if (!this.#isAlways && this.#since === 0) this.#since = now()
    this.#dueAt = now() + this.#heartbeatMs
    alarmSchedule.setRetry('heartbeat', this.#dueAt)
  }

  /** An object woken by the alarm no longer knows when its heartbeat was due. It sends one if heartbeats are always on. */
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
