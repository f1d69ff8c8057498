// Heartbeats and silence of all sockets of a server, with a single timer: a timer per socket would be a fifth of the memory of an
// idle socket. The wheel counts ticks of its timer, since wall time may jump; a server that was suspended counts fewer ticks, and
// closes no socket for its own delay.
import type { Clock } from '@bridle/kernel/ports/clock'

/** Proxies close a connection that is silent for 60 seconds, some for 30. */
const SOCKET_HEARTBEAT_MS = 15_000
/** Three heartbeats: two lost pings are an accident, a client that misses three is gone. */
const DEAD_AFTER_MS = 45_000
/** A tick is a second, with the times above. */
const TICKS_PER_BEAT = 15

export interface HeartbeatTimes {
  readonly clock: Clock
  /** 0 = no heartbeats, and no socket is closed for silence: the platform keeps its sockets alive without waking the server. */
  readonly heartbeatMs?: number | undefined
  readonly deadAfterMs?: number | undefined
}

export interface HeartbeatMember {
  /** The tick of its arrival. Heartbeats count from there, so that not all are due at once. */
  readonly joinedTick: number
  /** The tick of the last message or ping from the client. */
  readonly lastHeardTick: number
  sendHeartbeat(): void
  /** The client was silent for `deadAfterMs`, or up to a tick longer; never less. */
  onSilence(): void
}

export class HeartbeatWheel {
  readonly #clock: Clock
  readonly #isOff: boolean
  readonly #tickMs: number
  readonly #beatTicks: number
  readonly #deadTicks: number
  readonly #members = new Set<HeartbeatMember>()
  #tick = 0
  #cancelTick = () => {}

  constructor({ clock, heartbeatMs = SOCKET_HEARTBEAT_MS, deadAfterMs = DEAD_AFTER_MS }: HeartbeatTimes) {
    this.#clock = clock
    this.#isOff = heartbeatMs === 0
    this.#tickMs = Math.max(1, Math.floor(Math.min(heartbeatMs, deadAfterMs) / TICKS_PER_BEAT))
    this.#beatTicks = Math.max(1, Math.round(heartbeatMs / this.#tickMs))
    this.#deadTicks = Math.ceil(deadAfterMs / this.#tickMs)
  }

  get tick(): number {
    return this.#tick
  }

  add(member: HeartbeatMember): void {
    if (this.#isOff) return
    this.#members.add(member)
    if (this.#members.size === 1) this.#scheduleTick()
  }

  remove(member: HeartbeatMember): void {
    if (this.#members.delete(member) && this.#members.size === 0) this.#cancelTick()
  }

  #scheduleTick(): void {
    this.#cancelTick = this.#clock.after(this.#tickMs, () => {
      this.#scheduleTick()
      this.#tick += 1
      for (const member of this.#members) {
        if (this.#tick - member.lastHeardTick > this.#deadTicks) member.onSilence()
        else if ((this.#tick - member.joinedTick) % this.#beatTicks === 0) member.sendHeartbeat()
      }
    })
  }
}

const heartbeatWheels = new WeakMap<HeartbeatTimes, HeartbeatWheel>()
/** All sockets of a server share a wheel. */
export const heartbeatWheelOf = (server: HeartbeatTimes): HeartbeatWheel => {
  const wheel = heartbeatWheels.get(server) ?? new HeartbeatWheel(server)
  heartbeatWheels.set(server, wheel)
  return wheel
}
