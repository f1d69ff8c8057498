// The watcher of a directory object: where a tenant has several, one of them has the readers of changes, and the others relay to it.
import type { RowChange } from '@bridle/kernel/ports/row-observer'
import type { SqlDriver } from '../drivers/driver.ts'

/** The calls between the directory objects of a tenant, for readers of changes. */
export interface ChangesStub {
  /** From now on the object relays its changes to the object of this name. */
  watchChanges(tenant: string, watcher: string): Promise<void>
  /** Takes changes of another object; `hasGap` = some are missing before them. False = nobody reads them any more. */
  relayChanges(tenant: string, changes: readonly RowChange[], hasGap: boolean): Promise<boolean>
}

export interface ChangeWatchers {
  /** The name of the watcher; null = there is none. */
  find(tenant: string): string | null
  save(tenant: string, watcher: string): void
  remove(tenant: string): void
}

/** Watchers in the object's storage: the object may sleep while its watcher has readers. */
export const changeWatchers = (driver: SqlDriver): ChangeWatchers => {
  // An object is asked with every update of a session, and has one tenant.
  const known = new Map<string, string | null>()
  return {
    find: (tenant) => {
      const watcher =
        known.get(tenant) ??
        (known.has(tenant)
          ? null
          : (driver.get<{ watcher: string }>('SELECT watcher FROM change_watchers WHERE tenant = ?', tenant)?.watcher ??
            null))
      known.set(tenant, watcher)
      return watcher
    },
    save: (tenant, watcher) => {
      driver.run('INSERT OR REPLACE INTO change_watchers (tenant, watcher) VALUES (?, ?)', tenant, watcher)
      known.set(tenant, watcher)
    },
    remove: (tenant) => {
      driver.run('DELETE FROM change_watchers WHERE tenant = ?', tenant)
      known.set(tenant, null)
    },
  }
}
