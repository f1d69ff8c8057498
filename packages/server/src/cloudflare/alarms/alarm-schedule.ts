// An object has one alarm, set to the earliest time at which it must be awake. While a run is wanted that is every 30 seconds: a
// streaming fetch may not keep an object in memory. The alarm also restarts a run that is wanted and inactive.
import type { Wake } from '@bridle/kernel/ports/log'
import type { DurableStorage } from '../platform/platform.ts'

export interface AlarmSchedulePorts {
  readonly storage: DurableStorage
  /** The wake of all sessions of the object together, as the log says. */
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

  /** Whether a run is at work, as the log said when the alarm was last brought in line with it. */
  get isRunWanted(): boolean {
    const { nextWake, now } = this.#ports
    this.#isRunWanted ??= nextWake(now()).inHand
    return this.#isRunWanted
  }

  async load(): Promise<void> {
    this.#alarmAt = await this.#ports.storage.getAlarm()
  }

  /** The alarm rang, so none is set. */
  alarmFired(): void {
    this.#alarmAt = null
    this.#hopAt = null
  }

  /** When to retry work outside the log; null = no retry. */
  setRetry(what: string, at: number | null): void {
    if (at === null) this.#retries.delete(what)
    else this.#retries.set(what, at)
    this.update()
  }

  /** Rings the alarm at once: an agent in this object needs a new invocation. */
  ringNow(): void {
    this.#hopAt = this.#ports.now()
    this.update()
  }

  /** Brings the alarm in line with the log. Called in the turn that wrote, so that both are one write. */
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
    // A due alarm is about to ring. Setting it again with every write would postpone it while writes continue.
    if (at === now && this.#alarmAt !== null && this.#alarmAt <= now) return
    this.#alarmAt = at
    // Not awaited: `sync` waits for it, and a storage that fails takes the object down.
    void (at === null ? storage.deleteAlarm() : storage.setAlarm(at))
  }

  /** Keeps the time of a watchdog that is set: with every write it would move further away. */
  #watchdogAt(now: number, watchdog: number): number {
    return this.#alarmAt !== null && this.#alarmAt > now && this.#alarmAt <= watchdog ? this.#alarmAt : watchdog
  }
}
