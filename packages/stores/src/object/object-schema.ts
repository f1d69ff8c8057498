// The tables that an object has beside those of the shared store, as two lists of migrations: one entry per version, never
// edited once released. The version is a row of `meta`. Sessions and directories are different objects, so each has its list.
import type { SqlDriver } from '../drivers/driver.ts'
import { applyMigrations, damagedMeta, type Migration } from '../sqlite/schema.ts'

/**
 * Before there was a version, each table was made with its first use. An object from then may have any of them, hence
 * IF NOT EXISTS; later entries do without.
 */
const sessionFirst: Migration = [
  // Sessions that the directory has to hear of; `n` counts the changes since the last time.
  `CREATE TABLE IF NOT EXISTS untold (
    tenant TEXT NOT NULL, agent TEXT NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL,
    PRIMARY KEY (tenant, agent, id)) WITHOUT ROWID`,
  // Names in the bucket of artifacts; `sid` is null until the append that refers to the name is written.
  'CREATE TABLE IF NOT EXISTS bucket_names (name TEXT PRIMARY KEY, sid INTEGER) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS spends (run TEXT PRIMARY KEY, usd REAL NOT NULL) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS reserved_spends (run TEXT PRIMARY KEY, usd REAL NOT NULL) WITHOUT ROWID',
]

const directoryFirst: Migration = [
  // The object that each session lives in; `seq` is the head that the session last reported.
  `CREATE TABLE IF NOT EXISTS homes (
    tenant TEXT NOT NULL, id TEXT NOT NULL, agent TEXT NOT NULL, home TEXT NOT NULL, seq INTEGER NOT NULL,
    removed INTEGER NOT NULL, PRIMARY KEY (tenant, id, agent)) WITHOUT ROWID`,
  // Tickets that were redeemed, until they expire.
  'CREATE TABLE IF NOT EXISTS nonces (nonce TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID',
  // Tenants whose sessions came over from another number of shards.
  'CREATE TABLE IF NOT EXISTS taken_over (tenant TEXT PRIMARY KEY) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, secret TEXT NOT NULL) WITHOUT ROWID',
]

const sessionUploads: Migration = [
  // Uploaded files that sessions of this object use; `released` = their session is removed, and the files have to go.
  `CREATE TABLE claimed_uploads (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
    released INTEGER NOT NULL) WITHOUT ROWID`,
]

const directoryUploads: Migration = [
  // The uploaded files of a tenant, in an object that has nothing else. `facts` is an Upload as JSON.
  `CREATE TABLE uploads (
    id TEXT PRIMARY KEY, facts TEXT NOT NULL, status TEXT NOT NULL, size_bytes INTEGER NOT NULL,
    in_bucket INTEGER NOT NULL, due_at INTEGER) WITHOUT ROWID`,
  // The bytes of an uploaded file, in an object that has nothing else.
  'CREATE TABLE upload_pieces (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL)',
]

const directoryWatchers: Migration = [
  // The object whose readers want the changes of a tenant's sessions, where a tenant has several directory objects.
  'CREATE TABLE change_watchers (tenant TEXT PRIMARY KEY, watcher TEXT NOT NULL) WITHOUT ROWID',
]

export const sessionObjectMigrations: readonly Migration[] = [sessionFirst, sessionUploads]
export const directoryObjectMigrations: readonly Migration[] = [directoryFirst, directoryUploads, directoryWatchers]

/** 0 for an object from before there was a version. */
export const objectSchemaVersion = (driver: Pick<SqlDriver, 'get'>): number => {
  const row = driver.get<{ value: unknown }>('SELECT value FROM meta WHERE name = ?', META_NAME)
  const version = row?.value ?? 0
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0) throw damagedMeta()
  return version
}

/** Expects the table `meta`, which the shared store's migrations make. */
export const migrateObject = (driver: SqlDriver, known: readonly Migration[]): void =>
  applyMigrations(driver, META_NAME, objectSchemaVersion(driver), known)

const META_NAME = 'object_schema'
