// A data folder: one database, one lock. Session ids never become file names.
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

/** A backup that runs while the server starts has this long to finish its step; then the start is refused. */
const READER_WAIT_MS = 5_000

/** Acknowledged commits were found missing when the folder was opened. */
export interface StoreDamage extends WalDamage {
  /** Where the damaged file was copied to. */
  readonly copy: string
  /** The incarnation that every log of the folder has from here on. */
  readonly incarnation: number
}

export interface FolderStore extends Omit<SqliteStore, 'close'> {
  readonly damage: StoreDamage | null
  /** Commits what is queued, closes the database and gives the folder free. */
  close(): Promise<void>
}

/** Chosen so that settling blocks the event loop for a few milliseconds. */
export const tailLimits: TailLimits = {
  segmentsMax: 1024,
  charsMax: 512 * 1024,
  segmentCharsMax: 16 * 1024,
}

/** Opens or creates a data folder for this process alone. Throws a StoreFault that says what is in the way. */
export const openSqlite = async (folder: string, known: readonly Migration[] = migrations): Promise<FolderStore> => {
  const path = resolve(folder)
  makeFolder(path)
  let unlock = () => {}
  let driver: NodeDriver | undefined
  try {
    const file = join(path, 'bridle.sqlite')
    makePrivate(file)
    unlock = lockFolder(path)
    // Before anything opens the database: SQLite forgets what lies behind the damage.
    const noticed = preserveDamagedWal(file)
    checkVersion(versionOf(file), known, path)
    writeFolderOwner(path)
    driver = nodeDriver(file)
    emptyLogAtStart(driver, path)
    migrate(driver, known)
    // Nobody can tell whose commits were lost, so every log is another one from here on.
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

/**
 * The last owner may have died after a failed sync, and its log may then hold a commit that the disk does not have; or after
 * a DELETE, and then the log still holds what was erased. Either way the log is emptied before anything is written to it.
 */
const emptyLogAtStart = (driver: NodeDriver, path: string): void => {
  if (driver.emptyLog(READER_WAIT_MS)) return
  throw new StoreFault(
    'refused',
    `Another program is reading the database in ${path}. End it, then start the server again.`,
  )
}

/** The lock goes last: until then nobody else may touch the file. */
const closeAll = (store: SqliteStore | undefined, driver: NodeDriver | undefined, unlock: () => void): void => {
  try {
    store?.close()
    driver?.close()
  } finally {
    unlock()
  }
}

/** The schema version, without touching anything. */
const versionOf = (file: string): number => {
  if (!existsSync(file) || statSync(file).size === 0) return 0
  // With nothing in the write-ahead log the file alone is the truth, and `immutable` creates no files beside it.
  const wal = `${file}-wal`
  const alone = !existsSync(wal) || statSync(wal).size === 0
  const db = new DatabaseSync(alone ? `${pathToFileURL(file).href}?immutable=1` : file, { readOnly: true })
  try {
    return schemaVersion({ get: <Row>(sql: string) => db.prepare(sql).get() as Row | undefined })
  } finally {
    db.close()
  }
}
