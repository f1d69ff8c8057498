// An object has a single alarm. While a run is wanted it rings every 30 seconds, because a streaming fetch may not keep an
// object in memory, and restarts the run if it is inactive.
import type { Wake } from '@bridle/kernel/ports/log'
import type { DurableStorage } from '../platform/platform.ts'

export interface AlarmSchedulePorts {
  readonly storage: DurableStorage
  readonly nextWake: (now: number) => Wake
  readonly now: () => number
  readonly watchdogMs: number
}

export class AlarmSchedule {
  readonly #ports: AlarmSchedulePorts
  #alarmAt: number | null = null
  readonly #retries = new Map<string, number>()
  #hopAt: number | null = null
  #isRunWanted: boolean | null = null

  constructor(ports: AlarmSchedulePorts) {
    this.#ports = ports
  }

  get nextAlarmAt(): number | null {
    return this.#alarmAt
  }

  get isRunWanted(): boolean {
    const { nextWake, now } = this.#ports
    this.#isRunWanted ??= nextWake(now()).inHand
    return this.#isRunWanted
  }

  async load(): Promise<void> {
    this.#alarmAt = await this.#ports.storage.getAlarm()
  }

  alarmFired(): void {
    this.#alarmAt = null
    this.#hopAt = null
  }

  setRetry(what: string, at: number | null): void {
    if (at === null) this.#retries.delete(what)
    else this.#retries.set(what, at)
    this.update()
  }

  /** Rings the alarm immediately, to give an agent a new invocation. */
  ringNow(): void {
    this.#hopAt = this.#ports.now()
    this.update()
  }

  /** Updates the alarm from the log. Call in the turn that wrote, so that both are one atomic write. */
  update(): void {
    const { storage, nextWake, watchdogMs } = this.#ports
    const now = this.#ports.now()
    const watchdog = now + watchdogMs
    const { inHand, dueAt } = nextWake(now)
    this.#isRunWanted = inHand
    const moments = [
      inHand ? this.#watchdogAt(now, watchdog) : null,
      dueAt,
      ...this.#retries.values(),
      this.#hopAt,
    ].filter((at) => at !== null)
    const at = moments.length === 0 ? null : Math.max(Math.min(...moments), now)
    if (at === this.#alarmAt) return
    // A due alarm is about to ring. Setting it again on every write would postpone it.
    if (at === now && this.#alarmAt !== null && this.#alarmAt <= now) return
    this.#alarmAt = at
    // Not awaited: `sync` waits for it, and a storage failure resets the object.
    void (at === null ? storage.deleteAlarm() : storage.setAlarm(at))
  }

  /** Keeps a pending watchdog's time, or every write would push it back. */
  #watchdogAt(now: number, watchdog: number): number {
    return this.#alarmAt !== null && this.#alarmAt > now && this.#alarmAt <= watchdog ? this.#alarmAt : watchdog
  }
}
