// A single timer for all sockets: a timer each would be a fifth of an idle socket's memory. Counts ticks rather than wall time,
// so that a suspended server does not close sockets for its own delay.
import type { Clock } from '@bridle/kernel/ports/clock'

/** Some proxies close connections after 30 seconds of silence, most after 60. */
const SOCKET_HEARTBEAT_MS = 15_000
/** Three heartbeats: two may get lost. */
const DEAD_AFTER_MS = 45_000
/** A tick is one second at the default interval. */
const TICKS_PER_BEAT = 15

export interface HeartbeatTimes {
  readonly clock: Clock
  /** 0 disables heartbeats and silence checks: the platform keeps sockets alive without waking the server. */
  readonly heartbeatMs?: number | undefined
  readonly deadAfterMs?: number | undefined
}

export interface HeartbeatMember {
  /** Heartbeats are counted from here, which spreads them over time. */
  readonly joinedTick: number
  readonly lastHeardTick: number
  sendHeartbeat(): void
  /** Called after `deadAfterMs` of silence, at most a tick later and never earlier. */
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
export const heartbeatWheelOf = (server: HeartbeatTimes): HeartbeatWheel => {
  const wheel = heartbeatWheels.get(server) ?? new HeartbeatWheel(server)
  heartbeatWheels.set(server, wheel)
  return wheel
}
