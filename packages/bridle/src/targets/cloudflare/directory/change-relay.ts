// Relays the changes of this directory object to the object that has the tenant's readers. The newest change of each session waits
// while another call is on its way.
import { keyText } from '../../../kernel/event.ts'
import type { RowChange, RowObserver } from '../../../kernel/ports/row-observer.ts'
import type { ChangesStub, ChangeWatchers } from '../../../stores/object/change-watchers.ts'

export interface ChangeRelayPorts {
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
    const name = keyText(change.key)
    const earlier = this.#pending.get(name)
    this.#pending.set(name, earlier ? { ...change, before: earlier.before } : change)
    if (this.#isSending) return
    this.#isSending = true
    this.#ports.waitUntil(this.#sendAll(tenant, watcher))
  }

  async #sendAll(tenant: string, watcher: string): Promise<void> {
    const { watchers, watcherOf } = this.#ports
    while (this.#pending.size > 0) {
      const changes = [...this.#pending.values()]
      this.#pending.clear()
      const watchCount = this.#watchCount
      try {
        const isRead = await watcherOf(watcher).relayChanges(tenant, changes, this.#hasGap)
        this.#hasGap = false
        if (!isRead && watchCount === this.#watchCount) watchers.remove(tenant)
      } catch {
        // The next change says that these are missing.
        this.#hasGap = true
      }
    }
    this.#isSending = false
  }
}
