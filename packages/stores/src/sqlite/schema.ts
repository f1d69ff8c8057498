// Migrations, one per schema version, never edited once released.
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { SqlDriver } from '../drivers/driver.ts'

export type Migration = readonly string[]

const first: Migration = [
  // Numbers start after `base`. A removed session keeps its hidden row until no branch needs its events.
  `CREATE TABLE sessions (
    sid INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, agent TEXT NOT NULL, id TEXT NOT NULL,
    base INTEGER NOT NULL, parent_sid INTEGER, removed INTEGER NOT NULL DEFAULT 0,
    kind TEXT NOT NULL, status TEXT NOT NULL, updated_at INTEGER NOT NULL, wake_at INTEGER,
    hangs_from TEXT, search TEXT NOT NULL, row TEXT NOT NULL)`,
  'CREATE UNIQUE INDEX sessions_key ON sessions (tenant, id, agent) WHERE removed = 0',
  'CREATE INDEX sessions_recent ON sessions (tenant, updated_at, sid) WHERE removed = 0',
  'CREATE INDEX sessions_wake ON sessions (wake_at) WHERE wake_at IS NOT NULL',
  'CREATE INDEX sessions_parent ON sessions (parent_sid) WHERE parent_sid IS NOT NULL',
  'CREATE INDEX sessions_removed ON sessions (sid) WHERE removed = 1',
  `CREATE TABLE tombstones (
    tenant TEXT NOT NULL, agent TEXT NOT NULL, id TEXT NOT NULL, head INTEGER NOT NULL,
    PRIMARY KEY (tenant, agent, id)) WITHOUT ROWID`,
  // In order of arrival: sorted by session, each write would dirty another page. `tail` has no index at all; see tail.ts.
  `CREATE TABLE log (
    n INTEGER PRIMARY KEY, sid INTEGER NOT NULL, last INTEGER NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL,
    first INTEGER NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL)`,
  'CREATE UNIQUE INDEX log_place ON log (sid, last, part)',
  `CREATE TABLE tail (
    n INTEGER PRIMARY KEY, sid INTEGER NOT NULL, last INTEGER NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL,
    first INTEGER NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL)`,
  `CREATE TABLE answers (
    sid INTEGER NOT NULL, command_id TEXT NOT NULL, body_hash TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (sid, command_id)) WITHOUT ROWID`,
  `CREATE TABLE approvals (
    tenant TEXT NOT NULL, requested_at INTEGER NOT NULL, sid INTEGER NOT NULL, position INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (tenant, requested_at, sid, position)) WITHOUT ROWID`,
  'CREATE INDEX approvals_sid ON approvals (sid)',
  `CREATE TABLE snapshots (
    sid INTEGER NOT NULL, seq INTEGER NOT NULL, fold_version TEXT NOT NULL, settled INTEGER NOT NULL,
    keep INTEGER NOT NULL, sum TEXT NOT NULL, PRIMARY KEY (sid, seq)) WITHOUT ROWID`,
  // Texts of snapshots: settled message pieces by index, and the rest of the state at index -1.
  `CREATE TABLE texts (
    sid INTEGER NOT NULL, idx INTEGER NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL,
    body TEXT NOT NULL, sum TEXT NOT NULL, PRIMARY KEY (sid, idx, seq, part)) WITHOUT ROWID`,
]

/** For lists of the sessions that hang from another. */
const second: Migration = [
  `CREATE INDEX sessions_hanging ON sessions (tenant, hangs_from, updated_at, sid)
   WHERE hangs_from IS NOT NULL AND removed = 0`,
]

/** Lets a branch find the pieces rewritten since a snapshot without reading all others. */
const third: Migration = ['CREATE INDEX texts_written ON texts (sid, seq, idx)']

/** Owners of sessions. Existing ones inherit a user id through the chain, which may be circular, hence UNION. */
const fourth: Migration = [
  'ALTER TABLE sessions ADD COLUMN owner TEXT',
  `WITH RECURSIVE owned (tenant, id, sid, owner) AS (
     SELECT tenant, id, sid, id FROM sessions WHERE substr(id, 1, 5) = 'user:'
     UNION SELECT tenant, id, sid, hangs_from FROM sessions
     WHERE substr(id, 1, 5) <> 'user:' AND substr(hangs_from, 1, 5) = 'user:'
     UNION SELECT s.tenant, s.id, s.sid, o.owner FROM sessions AS s
     JOIN owned AS o ON s.tenant = o.tenant AND s.hangs_from = o.id WHERE substr(s.id, 1, 5) <> 'user:')
   UPDATE sessions SET owner = o.owner FROM (SELECT sid, min(owner) AS owner FROM owned GROUP BY sid) AS o
   WHERE sessions.sid = o.sid`,
]

/**
 * Indexes have no checksums, so two of them get a second source. `sessions_name` finds sessions that `sessions_key` misses and
 * that would be created again. A log that seems to end before `head_min` has lost entries of `log_place`.
 */
const fifth: Migration = [
  'CREATE INDEX sessions_name ON sessions (id, tenant, agent) WHERE removed = 0',
  'ALTER TABLE sessions ADD COLUMN head_min INTEGER NOT NULL DEFAULT 0',
  'UPDATE sessions SET head_min = coalesce((SELECT max(last) FROM log WHERE log.sid = sessions.sid), base)',
]

/** A log's incarnation is the larger of its own and the one in `meta`, which raises all logs after a loss that cannot be attributed. */
const sixth: Migration = [
  'ALTER TABLE sessions ADD COLUMN incarnation INTEGER NOT NULL DEFAULT 1',
  'ALTER TABLE tombstones ADD COLUMN incarnation INTEGER NOT NULL DEFAULT 1',
]

/** A `wake_at` of 0 meant an effect in hand and hid the due time, which the session's next change writes again. */
const seventh: Migration = [
  'DROP INDEX sessions_wake',
  'ALTER TABLE sessions RENAME COLUMN wake_at TO due_at',
  'ALTER TABLE sessions ADD COLUMN in_hand INTEGER NOT NULL DEFAULT 0',
  'UPDATE sessions SET in_hand = 1, due_at = NULL WHERE due_at = 0',
  'CREATE INDEX sessions_due ON sessions (due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX sessions_in_hand ON sessions (sid) WHERE in_hand = 1',
]

/** For the list of settled approvals, and for archived sessions. */
const eighth: Migration = [
  `CREATE TABLE settled_approvals (
    tenant TEXT NOT NULL, decided_at INTEGER NOT NULL, sid INTEGER NOT NULL, seq INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (tenant, decided_at, sid, seq)) WITHOUT ROWID`,
  'CREATE INDEX settled_approvals_sid ON settled_approvals (sid, seq)',
  'ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0',
]

/** Lets pages by owner, by status and by age read matching rows only. */
const ninth: Migration = [
  'CREATE INDEX sessions_owner ON sessions (tenant, owner, updated_at, sid) WHERE removed = 0',
  'CREATE INDEX sessions_status ON sessions (tenant, status, updated_at, sid) WHERE removed = 0',
  'CREATE INDEX sessions_created ON sessions (tenant, sid) WHERE removed = 0',
  'CREATE INDEX sessions_children ON sessions (tenant, hangs_from, sid) WHERE hangs_from IS NOT NULL AND removed = 0',
]

export const migrations: readonly Migration[] = [first, second, third, fourth, fifth, sixth, seventh, eighth, ninth]

/** 0 for an empty database. */
export const schemaVersion = (driver: Pick<SqlDriver, 'get'>): number => {
  const has = (table: string) =>
    driver.get(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${table}'`) !== undefined
  const version = has('meta')
    ? driver.get<{ value: unknown }>("SELECT value FROM meta WHERE name = 'schema'")?.value
    : 0
  // A crash before the first migration leaves `meta` without a version, and no tables.
  if (!version && !has('sessions')) return 0
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) throw damagedMeta()
  return version
}

export const damagedMeta = (): StoreFault =>
  new StoreFault(
    'corrupt',
    'The table "meta" of the database is damaged: it does not say which version the data has. Restore a backup; nothing was changed.',
  )

/** Refuses data of newer versions: an older one could corrupt it. */
export const checkVersion = (version: number, known: readonly Migration[], where: string): void => {
  if (version <= known.length) return
  throw new StoreFault(
    'refused',
    `${where} has schema version ${version}; this Bridle knows up to ${known.length}. Use a newer Bridle; nothing was changed.`,
  )
}

/** Each migration is a transaction, so that a crash leaves a complete version. */
export const migrate = (driver: SqlDriver, known: readonly Migration[] = migrations): void => {
  driver.run('CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID')
  applyMigrations(driver, 'schema', schemaVersion(driver), known)
}

/** `name`: the row of `meta` with the version. */
export const applyMigrations = (
  driver: SqlDriver,
  name: string,
  version: number,
  known: readonly Migration[],
): void => {
  for (const [index, migration] of known.entries()) {
    if (index < version) continue
    if (isDone(driver, migration)) throw damagedMeta()
    driver.transaction(() => {
      for (const sql of migration) driver.run(sql)
      setMeta(driver, name, index + 1)
    })
  }
}

/** If a step was applied before, the version that was read is wrong. */
const isDone = (driver: SqlDriver, migration: Migration): boolean =>
  migration
    .flatMap((sql) => /^CREATE (?:TABLE|(?:UNIQUE )?INDEX) (?!IF NOT EXISTS)(\w+)/.exec(sql)?.[1] ?? [])
    .some((name) => driver.get('SELECT 1 FROM sqlite_master WHERE name = ?', name) !== undefined)

/** Fences all earlier owners. */
export const bumpEpoch = (driver: SqlDriver): number =>
  driver.transaction(() => {
    const last = currentEpoch(driver)
    // Restarting at 1 would let an earlier owner write, and make runners refuse the new one.
    const isLost = last === 0 && driver.get('SELECT 1 FROM sessions LIMIT 1') !== undefined
    if (isLost || !Number.isSafeInteger(last) || last < 0) throw damagedMeta()
    const epoch = last + 1
    setMeta(driver, 'epoch', epoch)
    return epoch
  })

export const currentEpoch = (driver: SqlDriver): number =>
  driver.get<{ value: number }>("SELECT value FROM meta WHERE name = 'epoch'")?.value ?? 0

export const probeWrite = (driver: SqlDriver): void =>
  driver.run("INSERT INTO meta (name, value) VALUES ('probe', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1")

export const leastIncarnation = (driver: Pick<SqlDriver, 'get'>): number =>
  driver.get<{ value: number }>("SELECT value FROM meta WHERE name = 'incarnation'")?.value ?? 1

/** A new incarnation for all current and future logs. */
export const beginIncarnation = (driver: SqlDriver): number =>
  driver.transaction(() => {
    const used = ['sessions', 'tombstones'].map(
      (table) => driver.get<{ most: number | null }>(`SELECT max(incarnation) AS most FROM ${table}`)?.most ?? 1,
    )
    const incarnation = Math.max(leastIncarnation(driver), ...used) + 1
    setMeta(driver, 'incarnation', incarnation)
    return incarnation
  })

const setMeta = (driver: SqlDriver, name: string, value: number): void =>
  driver.run(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    value,
  )
