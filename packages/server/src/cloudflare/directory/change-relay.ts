// Relays changes to the object that has the tenant's readers. During a call the newest change of each session waits.
import { keyText } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { RowChange, RowObserver } from '@bridle/kernel/ports/row-observer'
import type { ChangesStub, ChangeWatchers } from '@bridle/stores/object/change-watchers'

/** A relayed change is sent so often: an object that moves answers again within a second or two. */
export const RELAY_TRIES_MAX = 3
/** The wait between two tries: a page shows an approval a moment later, and not never. */
const RELAY_RETRY_MS = 500

export interface ChangeRelayPorts {
  readonly clock: Pick<Clock, 'after'>
  readonly watchers: ChangeWatchers
  readonly watcherOf: (name: string) => Pick<ChangesStub, 'relayChanges'>
  readonly waitUntil: (work: Promise<void>) => void
}

export class ChangeRelay implements RowObserver {
  readonly #ports: ChangeRelayPorts
  readonly #pending = new Map<string, RowChange>()
  #isSending = false
  /** Counts the requests to relay: a reader that came during a call must not be forgotten because of its answer. */
  #watchCount = 0
  /** Changes were lost: the readers have to load their lists again. */
  #hasGap = false

  constructor(ports: ChangeRelayPorts) {
    this.#ports = ports
  }

  /** From now on changes of the tenant go to the object of this name. */
  watch(tenant: string, watcher: string): void {
    this.#watchCount += 1
    this.#ports.watchers.save(tenant, watcher)
  }

  isObserved(tenant: string): boolean {
    return this.#ports.watchers.find(tenant) !== null
  }

  observe(change: RowChange): void {
    const { tenant } = change.key
    const watcher = this.#ports.watchers.find(tenant)
    if (watcher === null) return
    this.#keep(change)
    if (this.#isSending) return
    this.#isSending = true
    this.#ports.waitUntil(this.#sendAll(tenant, watcher))
  }

  /** The readers know the row before the earliest change that waits. */
  #keep(change: RowChange): void {
    const name = keyText(change.key)
    const earlier = this.#pending.get(name)
    this.#pending.set(name, earlier ? { ...change, before: earlier.before } : change)
  }

  async #sendAll(tenant: string, watcher: string): Promise<void> {
    const { watchers, watcherOf } = this.#ports
    for (let failures = 0; this.#pending.size > 0; ) {
      const changes = [...this.#pending.values()]
      this.#pending.clear()
      const watchCount = this.#watchCount
      try {
        const isRead = await watcherOf(watcher).relayChanges(tenant, changes, this.#hasGap)
        failures = 0
        this.#hasGap = false
        if (!isRead && watchCount === this.#watchCount) watchers.remove(tenant)
      } catch {
        failures += 1
        // The next change may be hours away, so these are sent again; if that does not help, it says that they are missing.
        if (failures < RELAY_TRIES_MAX) await this.#waitWith(changes)
        else this.#hasGap = true
      }
    }
    this.#isSending = false
  }

  /** Changes that came during the call, or come during the wait, are newer. */
  async #waitWith(changes: readonly RowChange[]): Promise<void> {
    const newer = [...this.#pending.values()]
    this.#pending.clear()
    for (const change of [...changes, ...newer]) this.#keep(change)
    await new Promise<void>((resolve) => void this.#ports.clock.after(RELAY_RETRY_MS, resolve))
  }
}
