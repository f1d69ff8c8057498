// Relays changes to the object that serves the tenant's readers. During a call, only the newest change of each session is kept.
import { keyText } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { RowChange, RowObserver } from '@bridle/kernel/ports/row-observer'
import type { ChangesStub, ChangeWatchers } from '@bridle/stores/object/change-watchers'

/** An object that is being moved answers again within a second or two. */
export const RELAY_TRIES_MAX = 3
/** Short, because a person is waiting for the approval to appear. */
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
  /** Counts watch requests: the answer to an earlier call must not drop a reader that arrived during it. */
  #watchCount = 0
  /** Changes were lost, so readers must reload their lists. */
  #hasGap = false

  constructor(ports: ChangeRelayPorts) {
    this.#ports = ports
  }

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

  /** Readers know the row as it was before the earliest queued change. */
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
        // Retry now, because the next change may be hours away. After the last attempt, report a gap.
        if (failures < RELAY_TRIES_MAX) await this.#waitWith(changes)
        else this.#hasGap = true
      }
    }
    this.#isSending = false
  }

  /** Changes that arrive during the call or the wait are newer. */
  async #waitWith(changes: readonly RowChange[]): Promise<void> {
    const newer = [...this.#pending.values()]
    this.#pending.clear()
    for (const change of [...changes, ...newer]) this.#keep(change)
    await new Promise<void>((resolve) => void this.#ports.clock.after(RELAY_RETRY_MS, resolve))
  }
}
