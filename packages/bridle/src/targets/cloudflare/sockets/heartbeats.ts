// Heartbeats of an object that sleeps. The alarm sends them and wakes the object, so an operator has to turn them on: without
// heartbeats an idle object costs nothing, however many clients watch it.

import type { AlarmSchedule } from '../alarms/alarm-schedule.ts'
import type { ObjectSockets } from './object-sockets.ts'

export interface HeartbeatOptions {
  /** 0 = none. */
  readonly heartbeatMs: number
  /** Default: three heartbeats. */
  readonly deadAfterMs?: number | undefined
}

interface HeartbeatPorts {
  readonly sockets: Pick<ObjectSockets<never>, 'needsHeartbeats' | 'sendHeartbeats'>
  readonly alarmSchedule: AlarmSchedule
  readonly now: () => number
}

export class Heartbeats {
  readonly #ports: HeartbeatPorts
  readonly #heartbeatMs: number
  readonly #deadAfterMs: number
  #dueAt: number | null = null

  constructor({ heartbeatMs, deadAfterMs = heartbeatMs * 3 }: HeartbeatOptions, ports: HeartbeatPorts) {
    this.#ports = ports
    this.#heartbeatMs = heartbeatMs
    this.#deadAfterMs = deadAfterMs
  }

  /** After a wake the time of the next heartbeat is not in memory any more; the alarm that is set has it. */
  resume(): void {
    const { sockets, alarmSchedule, now } = this.#ports
    if (this.#heartbeatMs === 0 || !sockets.needsHeartbeats) return
    alarmSchedule.setRetry(
      'heartbeat',
      Math.min(alarmSchedule.nextAlarmAt ?? Number.POSITIVE_INFINITY, now() + this.#heartbeatMs),
    )
  }

  /** Called after a socket opens: sets the time of the next heartbeat. */
  schedule(): void {
    const { sockets, alarmSchedule, now } = this.#ports
    if (this.#heartbeatMs === 0 || this.#dueAt !== null || !sockets.needsHeartbeats) return
    this.#dueAt = now() + this.#heartbeatMs
    alarmSchedule.setRetry('heartbeat', this.#dueAt)
  }

  /** The alarm rang. An object that it woke does not know when its last heartbeat was due, and sends one. */
  handleAlarm(): void {
    const { sockets, alarmSchedule, now } = this.#ports
    if (this.#heartbeatMs === 0 || (this.#dueAt !== null && now() < this.#dueAt)) return
    this.#dueAt = null
    alarmSchedule.setRetry('heartbeat', null)
    sockets.sendHeartbeats(this.#deadAfterMs)
    this.schedule()
  }
}
