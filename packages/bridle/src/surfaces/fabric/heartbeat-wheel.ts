// When each socket is due for a beat, and when it has been silent for too long. One timer goes round all sockets of a
// server: timers of their own would be a fifth of what idle ones cost. Time is counted in ticks of that timer, since wall
// time may jump; a server that was held up counts fewer of them, and cuts nobody for its own delay.
import type { Clock } from '../../kernel/ports/store.ts'

export interface PulseTimes {
  readonly clock: Clock
  /** 0 = never, and nobody is cut for being silent: the platform keeps its sockets alive without waking us. */
  readonly heartbeatMs?: number | undefined
  readonly deadAfterMs?: number | undefined
}

export interface Beating {
  /** The tick it came in; beats are counted from it, so not all are due at once. */
  readonly born: number
  /** The tick in which it last gave a sign of life. */
  readonly heard: number
  beat(): void
  /** Nothing was heard for `deadAfterMs`, or up to a tick longer; never less. */
  silent(): void
}

const HEARTBEAT_MS = 15_000
/** Three pings missed. */
const DEAD_AFTER_MS = 45_000
/** A tick is a second, with the times above. */
const TICKS_PER_BEAT = 15

export class Pulse {
  readonly #clock: Clock
  readonly #isStill: boolean
  readonly #tickMs: number
  readonly #beatTicks: number
  readonly #deadTicks: number
  readonly #beating = new Set<Beating>()
  #tick = 0
  #forget = () => {}

  constructor({ clock, heartbeatMs = HEARTBEAT_MS, deadAfterMs = DEAD_AFTER_MS }: PulseTimes) {
    this.#clock = clock
    this.#isStill = heartbeatMs === 0
    this.#tickMs = Math.max(1, Math.floor(Math.min(heartbeatMs, deadAfterMs) / TICKS_PER_BEAT))
    this.#beatTicks = Math.max(1, Math.round(heartbeatMs / this.#tickMs))
    this.#deadTicks = Math.ceil(deadAfterMs / this.#tickMs)
  }

  get tick(): number {
    return this.#tick
  }

  add(one: Beating): void {
    if (this.#isStill) return
    this.#beating.add(one)
    if (this.#beating.size === 1) this.#wait()
  }

  remove(one: Beating): void {
    if (this.#beating.delete(one) && this.#beating.size === 0) this.#forget()
  }

  #wait(): void {
    this.#forget = this.#clock.after(this.#tickMs, () => {
      this.#wait()
      this.#tick += 1
      for (const one of this.#beating) {
        if (this.#tick - one.heard > this.#deadTicks) one.silent()
        else if ((this.#tick - one.born) % this.#beatTicks === 0) one.beat()
      }
    })
  }
}

const pulses = new WeakMap<PulseTimes, Pulse>()
/** The one pulse of a server. */
export const pulseOf = (server: PulseTimes): Pulse => {
  const pulse = pulses.get(server) ?? new Pulse(server)
  pulses.set(server, pulse)
  return pulse
}
