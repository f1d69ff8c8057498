// Tables beyond the shared store's, as migrations per kind of object: one per version, never edited once released.
import type { SqlDriver } from '../drivers/driver.ts'
import { applyMigrations, damagedMeta, type Migration } from '../sqlite/schema.ts'

/** Unversioned objects created each table on first use, so any may exist: hence IF NOT EXISTS, which later migrations omit. */
const sessionFirst: Migration = [
  // Sessions with unpublished changes; `n` counts them.
  `CREATE TABLE IF NOT EXISTS untold (
    tenant TEXT NOT NULL, agent TEXT NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL,
    PRIMARY KEY (tenant, agent, id)) WITHOUT ROWID`,
  // Names in the artifact bucket; `sid` is null until the append that refers to the name is written.
  'CREATE TABLE IF NOT EXISTS bucket_names (name TEXT PRIMARY KEY, sid INTEGER) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS spends (run TEXT PRIMARY KEY, usd REAL NOT NULL) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS reserved_spends (run TEXT PRIMARY KEY, usd REAL NOT NULL) WITHOUT ROWID',
]

const directoryFirst: Migration = [
  // The object of each session; `seq` is the last head that it reported.
  `CREATE TABLE IF NOT EXISTS homes (
    tenant TEXT NOT NULL, id TEXT NOT NULL, agent TEXT NOT NULL, home TEXT NOT NULL, seq INTEGER NOT NULL,
    removed INTEGER NOT NULL, PRIMARY KEY (tenant, id, agent)) WITHOUT ROWID`,
  // Redeemed tickets, until they expire.
  'CREATE TABLE IF NOT EXISTS nonces (nonce TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID',
  // Tenants whose records were taken over from another number of shards.
  'CREATE TABLE IF NOT EXISTS taken_over (tenant TEXT PRIMARY KEY) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, secret TEXT NOT NULL) WITHOUT ROWID',
]

const sessionUploads: Migration = [
  // Uploads used by sessions of this object. `released`: the session was removed, and the files have to go.
  `CREATE TABLE claimed_uploads (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
    released INTEGER NOT NULL) WITHOUT ROWID`,
]

const directoryUploads: Migration = [
  // The uploads of a tenant, in an object of their own. `facts` is an Upload as JSON.
  `CREATE TABLE uploads (
    id TEXT PRIMARY KEY, facts TEXT NOT NULL, status TEXT NOT NULL, size_bytes INTEGER NOT NULL,
    in_bucket INTEGER NOT NULL, due_at INTEGER) WITHOUT ROWID`,
  // The bytes of one upload, in an object of its own.
  'CREATE TABLE upload_pieces (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL)',
]

const directoryWatchers: Migration = [
  // The object whose readers want the tenant's changes, if the tenant has several directory objects.
  'CREATE TABLE change_watchers (tenant TEXT PRIMARY KEY, watcher TEXT NOT NULL) WITHOUT ROWID',
]

export const sessionObjectMigrations: readonly Migration[] = [sessionFirst, sessionUploads]
export const directoryObjectMigrations: readonly Migration[] = [directoryFirst, directoryUploads, directoryWatchers]

/** 0 for unversioned objects. */
export const objectSchemaVersion = (driver: Pick<SqlDriver, 'get'>): number => {
  const row = driver.get<{ value: unknown }>('SELECT value FROM meta WHERE name = ?', META_NAME)
  const version = row?.value ?? 0
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0) throw damagedMeta()
  return version
}

/** Requires the table `meta` of the shared store. */
export const migrateObject = (driver: SqlDriver, known: readonly Migration[]): void =>
  applyMigrations(driver, META_NAME, objectSchemaVersion(driver), known)

const META_NAME = 'object_schema'
