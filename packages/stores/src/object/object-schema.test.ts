// Objects as earlier versions left them: each table was made with its first use, and no row named the version.
import { DatabaseSync } from 'node:sqlite'
import type { Key } from '@bridle/kernel/event'
import { describe, expect, test } from 'vitest'
import { key, row, startSession } from '../contract/store.suite.ts'
import type { Migration } from '../sqlite/schema.ts'
import { sqliteStore } from '../sqlite/sqlite-store.ts'
import { noTail } from '../sqlite/tail.ts'
import { BucketNames } from './bucket-names.ts'
import { DirectoryOutbox } from './directory-outbox.ts'
import { type ObjectDriver, objectDriver } from './object-driver.ts'
import { directoryObjectMigrations, objectSchemaVersion, sessionObjectMigrations } from './object-schema.ts'
import { memoryObjectStorage } from './object-storage.suite.ts'
import type { DirectoryUpdate } from './remote-directory.ts'
import { ensureSecret } from './secret-row.ts'
import { DirectoryIndex } from './session-index.ts'
import { spendRows } from './spend-rows.ts'

/** Word for word the statements of the versions that had no migrations for objects. */
const early = {
  untold: `CREATE TABLE IF NOT EXISTS untold (
  tenant TEXT NOT NULL, agent TEXT NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (tenant, agent, id)) WITHOUT ROWID`,
  bucket_names: 'CREATE TABLE IF NOT EXISTS bucket_names (name TEXT PRIMARY KEY, sid INTEGER) WITHOUT ROWID',
  spends: 'CREATE TABLE IF NOT EXISTS spends (run TEXT PRIMARY KEY, usd REAL NOT NULL) WITHOUT ROWID',
  reserved_spends: 'CREATE TABLE IF NOT EXISTS reserved_spends (run TEXT PRIMARY KEY, usd REAL NOT NULL) WITHOUT ROWID',
  homes: `CREATE TABLE IF NOT EXISTS homes (
    tenant TEXT NOT NULL, id TEXT NOT NULL, agent TEXT NOT NULL, home TEXT NOT NULL, seq INTEGER NOT NULL,
    removed INTEGER NOT NULL, PRIMARY KEY (tenant, id, agent)) WITHOUT ROWID`,
  nonces: 'CREATE TABLE IF NOT EXISTS nonces (nonce TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID',
  taken_over: 'CREATE TABLE IF NOT EXISTS taken_over (tenant TEXT PRIMARY KEY) WITHOUT ROWID',
  secrets: 'CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, secret TEXT NOT NULL) WITHOUT ROWID',
} as const
type Table = keyof typeof early
const sessionTables: readonly Table[] = ['untold', 'bucket_names', 'spends', 'reserved_spends']
const directoryTables: readonly Table[] = ['homes', 'nonces', 'taken_over', 'secrets']

const FAR_OFF = 9_000_000_000_000

/** An object with the shared tables, these early ones, and rows in each. */
const earlyObject = async (tables: readonly Table[]) => {
  const database = new DatabaseSync(':memory:')
  const storage = memoryObjectStorage(database)
  const driver = objectDriver(storage)
  const store = sqliteStore(driver, driver.epoch, noTail)
  for (const id of ['a', 'b']) await startSession(store, key(id), 2)
  const { tenant, agent } = key('a')
  for (const table of tables) database.exec(early[table])
  const rows: { readonly [table in Table]: readonly (string | number | null)[][] } = {
    untold: [
      [tenant, agent, 'a', 3],
      [tenant, agent, 'gone', 1],
    ],
    bucket_names: [
      ['of a', 1],
      ['of nobody', 99],
    ],
    spends: [['run 1', 2.5]],
    reserved_spends: [['run 1', 0.5]],
    homes: [[tenant, 'a', agent, 'home of a', 2, 0]],
    nonces: [['used', FAR_OFF]],
    taken_over: [[tenant]],
    secrets: [['signing', 'the early secret']],
  }
  for (const table of tables)
    for (const values of rows[table])
      database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join()})`).run(...values)
  return { database, storage }
}

const tablesOf = (database: DatabaseSync) =>
  database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => name)

const publishAll = async (driver: ObjectDriver) => {
  const updates: DirectoryUpdate[] = []
  const outbox = new DirectoryOutbox({
    ...{ driver, log: sqliteStore(driver, driver.epoch, noTail).log, home: () => 'here', now: () => 0 },
    directory: () => ({
      register: async ({ home }) => home,
      update: async (sent) => void updates.push(...sent),
    }),
    retry: () => {},
  })
  await outbox.publish()
  outbox.mark(key('b'))
  await outbox.publish()
  return updates.map(({ key: { id }, row: listed }) => [id, listed !== null])
}

const deletedNames = async (driver: ObjectDriver) => {
  const deleted: string[] = []
  const bucket = {
    put: async () => {},
    get: async () => null,
    delete: async (names: string[]) => void deleted.push(...names),
  }
  const names = new BucketNames({ driver, bucket, sync: async () => {}, now: () => 0, retry: () => {} })
  await names.reserve(['new one'])
  names.release(['new one'])
  await names.cleanUp()
  return deleted
}

describe('an object of an early version', () => {
  const some = (tables: readonly Table[], count: number) => tables.slice(0, count)

  test.each([0, 1, 2, 3, 4])('of a session, with %i of its tables', async (count) => {
    const tables = some(sessionTables, count)
    const { database, storage } = await earlyObject(tables)
    for (const life of [1, 2, 3]) {
      const driver = objectDriver(storage, sessionObjectMigrations)
      expect(objectSchemaVersion(driver)).toBe(sessionObjectMigrations.length)
      expect(tablesOf(database)).toEqual(expect.arrayContaining([...sessionTables]))
      expect(tablesOf(database)).not.toContain('homes')
      const rows = spendRows(driver)
      if (life === 1) {
        const early = tables.includes('untold')
          ? [
              ['a', true],
              ['gone', false],
            ]
          : []
        expect(await publishAll(driver)).toEqual([...early, ['b', true]])
        expect(await deletedNames(driver)).toEqual([
          'new one',
          ...(tables.includes('bucket_names') ? ['of nobody'] : []),
        ])
        const kept = tables.includes('reserved_spends') ? 3 : tables.includes('spends') ? 2.5 : 0
        expect(rows.spentUsd('run 1')).toBe(kept)
      }
      rows.save('run 2', { spentUsd: life, reservedUsd: 1 })
      expect(rows.spentUsd('run 2')).toBe(life + 1)
    }
  })

  test.each([0, 1, 2, 3, 4])('of a directory, with %i of its tables', async (count) => {
    const tables = some(directoryTables, count)
    const { database, storage } = await earlyObject(tables)
    for (const life of [1, 2, 3]) {
      const driver = objectDriver(storage, directoryObjectMigrations)
      const index = new DirectoryIndex(driver)
      const { tenant, agent } = key('a')
      expect(objectSchemaVersion(driver)).toBe(directoryObjectMigrations.length)
      expect(tablesOf(database)).not.toContain('untold')
      expect(await index.register({ key: key('a'), home: 'another' })).toBe(
        tables.includes('homes') ? 'home of a' : 'another',
      )
      expect(await index.find(tenant, 'a')).toMatchObject([{ key: { tenant, agent, id: 'a' }, isRemoved: false }])
      if (tables.includes('nonces')) expect(await index.redeem('used', FAR_OFF)).toBe(false)
      const asked: (Key | null)[] = []
      await index.adoptFrom(tenant, { index: 0, of: 1 }, [
        {
          known: async (_tenant, after) => {
            asked.push(after)
            return [{ key: key('c'), home: 'home of c', head: 1, row: row(), isRemoved: false }]
          },
        },
      ])
      // A tenant that was taken over once is not asked for again, also by the next life of the object.
      expect(asked.length).toBe(tables.includes('taken_over') || life > 1 ? 0 : 1)
      const made = ensureSecret(driver, 'signing', () => `secret of life ${life}`)
      expect(made).toBe(tables.includes('secrets') ? 'the early secret' : 'secret of life 1')
    }
  })
})

describe('a new object', () => {
  test.each<[string, readonly Migration[], readonly Table[]]>([
    ['of a session', sessionObjectMigrations, sessionTables],
    ['of a directory', directoryObjectMigrations, directoryTables],
  ])('%s has no table until something is written, and then all of its kind', async (_name, migrations, tables) => {
    const database = new DatabaseSync(':memory:')
    const storage = memoryObjectStorage(database)
    const driver = objectDriver(storage, migrations)
    expect(spendRows(driver).spentUsd('run 1')).toBe(0)
    expect(await new DirectoryIndex(driver).find('acme', 'a')).toEqual([])
    expect([tablesOf(database), driver.isBlank()]).toEqual([[], true])
    await startSession(sqliteStore(driver, driver.epoch, noTail), key('a'), 1)
    expect(tablesOf(database).filter((name) => Object.keys(early).includes(String(name)))).toEqual(tables)
    expect(objectDriver(storage, migrations).isBlank()).toBe(false)
  })

  test('that a newer version wrote is refused, and stays as it was', async () => {
    const { database, storage } = await earlyObject(['untold'])
    const newer = [...sessionObjectMigrations, ['CREATE TABLE later (x)'], ['CREATE TABLE latest (x)']]
    objectDriver(storage, newer)
    const before = [tablesOf(database), database.prepare('SELECT * FROM meta').all()]
    expect(() => objectDriver(storage, sessionObjectMigrations)).toThrow(
      expect.objectContaining({ code: 'refused', message: expect.stringContaining('schema version 4') }),
    )
    expect([tablesOf(database), database.prepare('SELECT * FROM meta').all()]).toEqual(before)
    expect(objectSchemaVersion(objectDriver(storage, newer))).toBe(4)
  })
})
