// When each socket is due for a beat, and when it has been silent for too long. One timer goes round all sockets of a
// server: timers of their own would be a fifth of what idle ones cost. Time is counted in ticks of that timer, since wall
// time may jump; a server that was held up counts fewer of them, and cuts nobody for its own delay.
import type { Clock } from '../../kernel/ports/store.ts'

export interface HeartbeatTimes {
  readonly clock: Clock
  /** 0 = never, and nobody is cut for being silent: the platform keeps its sockets alive without waking us. */
  readonly heartbeatMs?: number | undefined
  readonly deadAfterMs?: number | undefined
}

export interface HeartbeatMember {
  /** The tick it came in; beats are counted from it, so not all are due at once. */
  readonly joinedTick: number
  /** The tick in which it last gave a sign of life. */
  readonly lastHeardTick: number
  sendHeartbeat(): void
  /** Nothing was heard for `deadAfterMs`, or up to a tick longer; never less. */
  onSilence(): void
}

const HEARTBEAT_MS = 15_000
/** Three pings missed. */
const DEAD_AFTER_MS = 45_000
/** A tick is a second, with the times above. */
const TICKS_PER_BEAT = 15

export class HeartbeatWheel {
  readonly #clock: Clock
  readonly #isOff: boolean
  readonly #tickMs: number
  readonly #beatTicks: number
  readonly #deadTicks: number
  readonly #members = new Set<HeartbeatMember>()
  #tick = 0
  #cancelTick = () => {}

  constructor({ clock, heartbeatMs = HEARTBEAT_MS, deadAfterMs = DEAD_AFTER_MS }: HeartbeatTimes) {
    this.#clock = clock
    this.#isOff = heartbeatMs === 0
    this.#tickMs = Math.max(1, Math.floor(Math.min(heartbeatMs, deadAfterMs) / TICKS_PER_BEAT))
    this.#beatTicks = Math.max(1, Math.round(heartbeatMs / this.#tickMs))
    this.#deadTicks = Math.ceil(deadAfterMs / this.#tickMs)
  }

  get tick(): number {
    return this.#tick
  }

  add(one: HeartbeatMember): void {
    if (this.#isOff) return
    this.#members.add(one)
    if (this.#members.size === 1) this.#scheduleTick()
  }

  remove(one: HeartbeatMember): void {
    if (this.#members.delete(one) && this.#members.size === 0) this.#cancelTick()
  }

  #scheduleTick(): void {
    this.#cancelTick = this.#clock.after(this.#tickMs, () => {
      this.#scheduleTick()
      this.#tick += 1
      for (const one of this.#members) {
        if (this.#tick - one.lastHeardTick > this.#deadTicks) one.onSilence()
        else if ((this.#tick - one.joinedTick) % this.#beatTicks === 0) one.sendHeartbeat()
      }
    })
  }
}

const heartbeatWheels = new WeakMap<HeartbeatTimes, HeartbeatWheel>()
/** The one pulse of a server. */
export const heartbeatWheelOf = (server: HeartbeatTimes): HeartbeatWheel => {
  const pulse = heartbeatWheels.get(server) ?? new HeartbeatWheel(server)
  heartbeatWheels.set(server, pulse)
  return pulse
}
