// The one alarm of an object: the earliest of all moments at which it wants to be awake though nobody asks. While a run is
// wanted that is every 30 seconds: nobody promises that a streaming fetch keeps an object in memory, so the alarm does,
// and it is the watchdog as well: a run that is wanted and not in hand is taken up again.
import type { Driver } from '../../stores/driver.ts'
import type { Storage } from './platform.ts'

export const WATCHDOG_MS = 30_000

export interface WakePorts {
  readonly storage: Storage
  readonly driver: Driver
  readonly now: () => number
  readonly watchdogMs: number
}

export class WakeTimes {
  readonly #ports: WakePorts
  #set: number | null = null
  #retryAt: number | null = null
  #hopAt: number | null = null

  constructor(ports: WakePorts) {
    this.#ports = ports
  }

  async load(): Promise<void> {
    this.#set = await this.#ports.storage.getAlarm()
  }

  /** The alarm rang: the slot is free. */
  rang(): void {
    this.#set = null
    this.#hopAt = null
  }

  /** Something outside the log wants to be tried again then; null = no longer. */
  retry(at: number | null): void {
    this.#retryAt = at
    this.arrange()
  }

  /** It is to ring now: an agent at work here wants a fresh invocation. */
  hop(): void {
    this.#hopAt = this.#ports.now()
    this.arrange()
  }

  /** Brings the alarm in line with the log. Called in the turn that wrote, so that both are one write. */
  arrange(): void {
    const { storage, driver, watchdogMs } = this.#ports
    const now = this.#ports.now()
    const watchdog = now + watchdogMs
    const row = driver.get<{ hands: number | null; at: number | null }>(
      `SELECT max(wake_at = 0) AS hands, min(CASE WHEN wake_at > 0 THEN wake_at END) AS at
       FROM sessions WHERE wake_at IS NOT NULL`,
    )
    const inHand = row?.hands ? this.#nearer(now, watchdog) : null
    const moments = [inHand, row?.at ?? null, this.#retryAt, this.#hopAt].filter((at): at is number => at !== null)
    const at = moments.length === 0 ? null : Math.max(Math.min(...moments), now)
    if (at === this.#set) return
    this.#set = at
    // Not awaited: it is part of what `sync` waits for, and a storage that fails takes the object down.
    void (at === null ? storage.deleteAlarm() : storage.setAlarm(at))
  }

  /** A watchdog that is set already is not moved by every write. */
  #nearer(now: number, watchdog: number): number {
    return this.#set !== null && this.#set > now && this.#set <= watchdog ? this.#set : watchdog
  }
}
