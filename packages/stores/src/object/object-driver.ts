// Until the first write, the storage stays blank, even without tables: an object that was only queried must leave nothing behind.
import { StoreFault, type StoreFaultCode } from '@bridle/kernel/ports/store-fault'
import { checkSqlLimits, type SqlDriver, type SqlValue } from '../drivers/driver.ts'
import { bumpEpoch, checkVersion, type Migration, migrate, migrations, schemaVersion } from '../sqlite/schema.ts'
import { migrateObject, objectSchemaVersion } from './object-schema.ts'

export interface ObjectStorage {
  readonly sql: {
    exec(sql: string, ...values: SqlValue[]): { toArray(): unknown[] }
  }
  transactionSync<T>(work: () => T): T
}

export interface ObjectDriver extends SqlDriver {
  /** The epoch of this object instance, 1 if blank. */
  readonly epoch: number
  isBlank(): boolean
}

/** `own`: migrations of tables specific to this kind of object. */
export const objectDriver = (storage: ObjectStorage, own: readonly Migration[] = []): ObjectDriver => {
  const { sql } = storage
  const exec = <Row>(text: string, values: SqlValue[]): Row[] => {
    checkSqlLimits(values)
    return sql.exec(text, ...values).toArray() as Row[]
  }
  const raw: SqlDriver = {
    all: (text, ...values) => exec(text, values),
    get: <Row>(text: string, ...values: SqlValue[]) => exec<Row>(text, values)[0],
    run: (text, ...values) => void exec(text, values),
    transaction: (work) => storage.transactionSync(work),
    // A microtask precedes other events of the object, so the platform coalesces all writes up to it.
    schedule: (work) => queueMicrotask(work),
    pause: () => new Promise((resolve) => setTimeout(resolve, 0)),
    diagnose,
    // A storage failure resets the object, which then reads everything again.
    recover: () => {},
  }
  let isBlank = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'").toArray().length === 0
  if (!isBlank) {
    checkVersion(schemaVersion(raw), migrations, 'The object')
    checkVersion(objectSchemaVersion(raw), own, 'The object')
    migrate(raw)
    migrateObject(raw, own)
  }
  const epoch = isBlank ? 1 : bumpEpoch(raw)

  const create = () => {
    migrate(raw)
    migrateObject(raw, own)
    bumpEpoch(raw)
    isBlank = false
  }
  /** Reads of a blank storage find nothing; the first write creates the tables. */
  const findsNothing = (text: string): boolean => {
    if (isBlank && !text.startsWith('SELECT')) create()
    return isBlank
  }

  return {
    ...raw,
    epoch,
    isBlank: () => isBlank,
    all: (text, ...values) => (findsNothing(text) ? [] : raw.all(text, ...values)),
    get: (text, ...values) => (findsNothing(text) ? undefined : raw.get(text, ...values)),
    run(text, ...values) {
      if (isBlank) create()
      raw.run(text, ...values)
    },
    transaction(work) {
      const wasBlank = isBlank
      try {
        return raw.transaction(work)
      } catch (error) {
        // The rollback removed the tables, too.
        isBlank = wasBlank
        throw error
      }
    },
  }
}

/** The platform only puts SQLite's code at the end of the message. */
const codes: readonly [RegExp, StoreFaultCode][] = [
  [/SQLITE_(CORRUPT|NOTADB)/, 'corrupt'],
  [/SQLITE_FULL/, 'full'],
  [/SQLITE_(TOOBIG|CONSTRAINT|MISMATCH|RANGE)/, 'refused'],
  [/SQLITE_|storage|Durable Object/i, 'outcome_unknown'],
]

const diagnose = (error: unknown): StoreFaultCode => {
  if (error instanceof StoreFault) return error.code
  const text = error instanceof Error ? error.message : String(error)
  // Errors without a SQLite code come from our own code and were rolled back.
  return codes.find(([pattern]) => pattern.test(text))?.[1] ?? 'refused'
}
