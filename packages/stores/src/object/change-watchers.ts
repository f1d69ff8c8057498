// If a tenant has several directory objects, one of them has the readers of changes and the others relay to it.
import type { RowChange } from '@bridle/kernel/ports/row-observer'
import type { SqlDriver } from '../drivers/driver.ts'

export interface ChangesStub {
  watchChanges(tenant: string, watcher: string): Promise<void>
  /** `hasGap`: changes before these are missing. False if there are no readers any more. */
  relayChanges(tenant: string, changes: readonly RowChange[], hasGap: boolean): Promise<boolean>
}

export interface ChangeWatchers {
  find(tenant: string): string | null
  save(tenant: string, watcher: string): void
  remove(tenant: string): void
}

/** Durable, because the object may hibernate while its watcher has readers. */
export const changeWatchers = (driver: SqlDriver): ChangeWatchers => {
  // Cached because every session update asks. An object has a single tenant.
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
