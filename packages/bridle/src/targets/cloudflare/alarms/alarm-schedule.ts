// The one alarm of an object: the earliest of all moments at which it wants to be awake though nobody asks. While a run is
// wanted that is every 30 seconds: nobody promises that a streaming fetch keeps an object in memory, so the alarm does,
// and it is the watchdog as well: a run that is wanted and not in hand is taken up again.
import type { Wake } from '../../../kernel/ports/store.ts'
import type { DurableStorage } from '../platform.ts'

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

  constructor(ports: AlarmSchedulePorts) {
    this.#ports = ports
  }

  /** When the alarm is set to ring; null = it is not. */
  get nextAlarmAt(): number | null {
    return this.#alarmAt
  }

  async load(): Promise<void> {
    this.#alarmAt = await this.#ports.storage.getAlarm()
  }

  /** The alarm rang: the slot is free. */
  alarmFired(): void {
    this.#alarmAt = null
    this.#hopAt = null
  }

  /** Something outside the log wants to be tried again then; null = no longer. */
  setRetry(what: string, at: number | null): void {
    if (at === null) this.#retries.delete(what)
    else this.#retries.set(what, at)
    this.update()
  }

  /** It is to ring now: an agent at work here wants a fresh invocation. */
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
    const moments = [
      inHand ? this.#watchdogAt(now, watchdog) : null,
      dueAt,
      ...this.#retries.values(),
      this.#hopAt,
    ].filter((at) => at !== null)
    const at = moments.length === 0 ? null : Math.max(Math.min(...moments), now)
    if (at === this.#alarmAt) return
    // One that is due is about to ring: set anew by every write, it would be put off for as long as they come.
    if (at === now && this.#alarmAt !== null && this.#alarmAt <= now) return
    this.#alarmAt = at
    // Not awaited: it is part of what `sync` waits for, and a storage that fails takes the object down.
    void (at === null ? storage.deleteAlarm() : storage.setAlarm(at))
  }

  /** A watchdog that is set already is not moved by every write. */
  #watchdogAt(now: number, watchdog: number): number {
    return this.#alarmAt !== null && this.#alarmAt > now && this.#alarmAt <= watchdog ? this.#alarmAt : watchdog
  }
}
