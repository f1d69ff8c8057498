// SQLite as Node ships it.
import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { StoreFault, type StoreFaultCode } from '../kernel/ports.ts'
import { checkLimits, type Driver, type Value } from './driver.ts'

export interface NodeDriver extends Driver {
  /** Whether the file is still the one that was opened: a file that was removed takes writes as if nothing had happened. */
  isThere(): boolean
  close(): void
}

/** A look at the file costs two microseconds: too much for every commit, and nothing at all ten times a second. */
const LOOK_MS = 100

export function nodeDriver(file: string): NodeDriver {
  let db = open(file)
  const opened = identityOf(file)
  let lookedAt = performance.now()
  let statements = new Map<string, StatementSync>()

  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known) return known
    const statement = db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const bound = (sql: string, values: Value[]): StatementSync => {
    checkLimits(values)
    return prepared(sql)
  }

  return {
    all: <Row>(sql: string, ...values: Value[]) => bound(sql, values).all(...values) as Row[],
    get: <Row>(sql: string, ...values: Value[]) => bound(sql, values).get(...values) as Row | undefined,
    run: (sql, ...values) => void bound(sql, values).run(...values),

    transaction<T>(work: () => T): T {
      prepared('BEGIN IMMEDIATE').run()
      try {
        const result = work()
        prepared('COMMIT').run()
        return result
      } catch (error) {
        rollBack(error)
        throw error
      }
    },

    schedule: (work) => void setImmediate(work),

    // Moves committed pages from the write-ahead log to the database file.
    tidy: () => void prepared('PRAGMA wal_checkpoint(PASSIVE)').get(),

    // The log is a file of its own, with older versions of the same pages.
    purge: () => void prepared('PRAGMA wal_checkpoint(TRUNCATE)').get(),

    diagnose,

    isThere: () => identityOf(file) === opened,

    check() {
      const now = performance.now()
      if (now - lookedAt < LOOK_MS) return
      if (identityOf(file) !== opened) throw new StoreFault('gone', `${file} was removed or replaced`)
      lookedAt = now
    },

    reopen() {
      statements = new Map()
      try {
        db.close()
      } catch {
        // It may be closed already: a reopen that failed half way is simply tried again.
      }
      db = open(file)
    },

    close() {
      statements.clear()
      db.close()
    },
  }

  // SQLite rolls back by itself on some errors; where it did not, a transaction left open would swallow the next one.
  function rollBack(cause: unknown): void {
    try {
      if (db.isTransaction) prepared('ROLLBACK').run()
    } catch {
      throw new StoreFault('outcome_unknown', 'a transaction could not be rolled back', cause)
    }
  }
}

/** As long as it is open, the system gives its number to no other file. */
function identityOf(file: string): string | null {
  try {
    const { dev, ino } = statSync(file)
    return `${dev}:${ino}`
  } catch {
    return null
  }
}

function open(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 5000 })
  // FULL syncs the log at every commit: what was acknowledged survives a power cut, not only a crash.
  // fullfsync matters on macOS alone, where a plain fsync stops at the drive's cache. The automatic checkpoint is a
  // backstop: `tidy` does it in a turn of its own, so that no append waits for it. What is deleted is overwritten with
  // zeros: a free page would keep the text of a removed session for as long as nobody uses it again.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
    PRAGMA wal_autocheckpoint = 4000; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF`)
  return db
}

/** SQLite's result codes that say for certain that nothing was written. Any other error leaves it open. */
const meanings: Partial<Record<number, StoreFaultCode>> = {
  11: 'corrupt', // CORRUPT
  13: 'full', // FULL
  18: 'refused', // TOOBIG
  19: 'refused', // CONSTRAINT
  20: 'refused', // MISMATCH
  25: 'refused', // RANGE
  26: 'corrupt', // NOTADB
}

export function diagnose(error: unknown): StoreFaultCode {
  const code = resultCode(error)
  if (code !== undefined) return meanings[code] ?? 'outcome_unknown'
  // What did not come from SQLite was thrown by the work itself (a value that cannot be encoded or bound), and undone.
  // Only a handle that is gone says nothing about what it last did.
  const gone = error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE'
  return gone ? 'outcome_unknown' : 'refused'
}

/** Somebody else holds the lock. */
export const isBusy = (error: unknown): boolean => resultCode(error) === 5

const resultCode = (error: unknown): number | undefined =>
  typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
