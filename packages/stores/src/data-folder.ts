// A data folder has one database and one lock. Session ids never become file names.
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { faultCodeOf, type NodeDriver, nodeDriver } from './drivers/node-driver.ts'
import { DatabaseSync } from './drivers/sqlite-module.ts'
import { lockFolder, makeFolder, makePrivate, writeFolderOwner } from './folder-lock.ts'
import {
  beginIncarnation,
  bumpEpoch,
  checkVersion,
  type Migration,
  migrate,
  migrations,
  schemaVersion,
} from './sqlite/schema.ts'
import { type SqliteStore, sqliteStore } from './sqlite/sqlite-store.ts'
import type { TailLimits } from './sqlite/tail.ts'
import { preserveDamagedWal } from './wal/damaged-wal.ts'
import type { WalDamage } from './wal/wal-check.ts'

/** Lets a running backup finish its step before the start fails. */
const READER_WAIT_MS = 5_000

/** Acknowledged commits were missing when the folder was opened. */
export interface StoreDamage extends WalDamage {
  readonly copy: string
  /** The new incarnation of every log in the folder. */
  readonly incarnation: number
}

export interface FolderStore extends Omit<SqliteStore, 'close'> {
  readonly damage: StoreDamage | null
  /** Commits queued appends, closes the database and unlocks the folder. */
  close(): Promise<void>
}

/** Settling at this size blocks the event loop for a few milliseconds only. */
export const tailLimits: TailLimits = {
  segmentsMax: 1024,
  charsMax: 512 * 1024,
  segmentCharsMax: 16 * 1024,
}

/** Creates the folder if needed, and locks it for this process. Throws a StoreFault with the reason. */
export const openSqlite = async (folder: string, known: readonly Migration[] = migrations): Promise<FolderStore> => {
  const path = resolve(folder)
  makeFolder(path)
  let unlock = () => {}
  let driver: NodeDriver | undefined
  try {
    const file = join(path, 'bridle.sqlite')
    makePrivate(file)
    unlock = lockFolder(path)
    // Before opening the database: SQLite discards everything after the damage.
    const noticed = preserveDamagedWal(file)
    checkVersion(versionOf(file), known, path)
    writeFolderOwner(path)
    driver = nodeDriver(file)
    emptyLogAtStart(driver, path)
    migrate(driver, known)
    // The lost commits could be any session's, so every log gets a new incarnation.
    const incarnation = noticed ? beginIncarnation(driver) : 0
    const damage = noticed && { ...noticed.damage, copy: noticed.markHandled(), incarnation }
    const store = sqliteStore(driver, bumpEpoch(driver), tailLimits)
    let open = true
    return {
      ...store,
      damage,
      async close() {
        if (open) closeAll(store, driver, unlock)
        open = false
      },
    }
  } catch (error) {
    closeAll(undefined, driver, unlock)
    if (error instanceof StoreFault && error.code !== 'corrupt') throw error
    const detail = error instanceof Error ? error.message : String(error)
    const code = error instanceof StoreFault ? error.code : faultCodeOf(error)
    throw new StoreFault(code, `${path} cannot be opened: ${detail}`, error)
  }
}

/** After a failed sync, the log may hold a commit that the disk lacks; after a DELETE, it still holds the erased text. */
const emptyLogAtStart = (driver: NodeDriver, path: string): void => {
  if (driver.emptyLog(READER_WAIT_MS)) return
  throw new StoreFault(
    'refused',
    `Another program is reading the database in ${path}. End it, then start the server again.`,
  )
}

/** Unlocks last: until then, no other process may touch the file. */
const closeAll = (store: SqliteStore | undefined, driver: NodeDriver | undefined, unlock: () => void): void => {
  try {
    store?.close()
    driver?.close()
  } finally {
    unlock()
  }
}

/** Read without touching anything. */
const versionOf = (file: string): number => {
  if (!existsSync(file) || statSync(file).size === 0) return 0
  // With an empty write-ahead log the file is complete, and `immutable` avoids creating files beside it.
  const wal = `${file}-wal`
  const alone = !existsSync(wal) || statSync(wal).size === 0
  const db = new DatabaseSync(alone ? `${pathToFileURL(file).href}?immutable=1` : file, { readOnly: true })
  try {
    return schemaVersion({ get: <Row>(sql: string) => db.prepare(sql).get() as Row | undefined })
  } finally {
    db.close()
  }
}
