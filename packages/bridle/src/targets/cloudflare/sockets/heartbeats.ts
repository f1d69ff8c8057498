// Heartbeats of an object that sleeps. They come with its alarm, which wakes it: so they are only sent where an operator asks for
// them. Without them an object that has nothing to do costs nothing, however many watch it.

import type { AlarmSchedule } from '../alarms/alarm-schedule.ts'
import type { ObjectSockets } from './object-sockets.ts'

export interface HeartbeatOptions {
  /** 0 = none. */
  readonly heartbeatMs: number
  /** Default: three heartbeats. */
  readonly deadAfterMs?: number | undefined
}

interface HeartbeatPorts {
  readonly sockets: ObjectSockets
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

  /** The object woke, and its memory of the next heartbeat is gone: the alarm that was set keeps its time. */
  resume(): void {
    const { sockets, alarmSchedule, now } = this.#ports
    if (this.#heartbeatMs === 0 || !sockets.needsHeartbeats) return
    alarmSchedule.setRetry(
      'heartbeat',
      Math.min(alarmSchedule.nextAlarmAt ?? Number.POSITIVE_INFINITY, now() + this.#heartbeatMs),
    )
  }

  /** After a socket was opened: the next heartbeat has a time. */
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
