// Heartbeats of an object that sleeps. They come with its alarm, which wakes it: so they are only sent where an operator asks for
// them. Without them an object that has nothing to do costs nothing, however many watch it.

import type { WakeTimes } from '../alarms/alarm-schedule.ts'
import type { ObjectSockets } from './object-sockets.ts'

export interface HeartbeatOptions {
  /** 0 = none. */
  readonly heartbeatMs: number
  /** Default: three heartbeats. */
  readonly deadAfterMs?: number | undefined
}

interface HeartbeatPorts {
  readonly sockets: ObjectSockets
  readonly wakeTimes: WakeTimes
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
  woke(): void {
    const { sockets, wakeTimes, now } = this.#ports
    if (this.#heartbeatMs === 0 || !sockets.hasBeating) return
    wakeTimes.retry('heartbeat', Math.min(wakeTimes.ringsAt ?? Number.POSITIVE_INFINITY, now() + this.#heartbeatMs))
  }

  /** After a socket was opened: the next heartbeat has a time. */
  arrange(): void {
    const { sockets, wakeTimes, now } = this.#ports
    if (this.#heartbeatMs === 0 || this.#dueAt !== null || !sockets.hasBeating) return
    this.#dueAt = now() + this.#heartbeatMs
    wakeTimes.retry('heartbeat', this.#dueAt)
  }

  /** The alarm rang. An object that it woke does not know when its last heartbeat was due, and sends one. */
  rang(): void {
    const { sockets, wakeTimes, now } = this.#ports
    if (this.#heartbeatMs === 0 || (this.#dueAt !== null && now() < this.#dueAt)) return
    this.#dueAt = null
    wakeTimes.retry('heartbeat', null)
    sockets.beat(this.#deadAfterMs)
    this.arrange()
  }
}
