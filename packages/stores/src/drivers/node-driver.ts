// SQLite as Node ships it.
import { statSync } from 'node:fs'
import type { DatabaseSync as Database, StatementSync } from 'node:sqlite'
import { StoreFault, type StoreFaultCode } from '@bridle/kernel/ports/store-fault'
import { checkSqlLimits, type SqlDriver, type SqlValue } from './driver.ts'
import { DatabaseSync } from './sqlite-module.ts'

/** A look at the files takes a few microseconds: too much for every commit, and nothing ten times a second. */
const FILE_CHECK_MS = 100
/** A disk that fails is tried again four times a second, however many callers there are. */
const RECOVER_MS = 250
/** A statement waits this long for the lock of another program, such as a backup. */
const BUSY_MS = 5_000

export interface NodeDriver extends SqlDriver {
  /**
   * Moves everything in the write-ahead log to the database file, syncs that, and empties the log. False when another
   * program is still reading from the log after `waitMs`.
   */
  emptyLog(waitMs: number): boolean
  close(): void
}

export const nodeDriver = (file: string): NodeDriver => {
  let db = open(file)
  // SQLite writes to files that were removed as if nothing had happened, the log included.
  const files = [file, `${file}-wal`, `${file}-shm`]
  let opened = files.map(identityOf)
  let lookedAt = performance.now()
  let failedRecovery: { readonly at: number; readonly cause: unknown } | null = null
  let isLogSaved = false
  let statements = new Map<string, StatementSync>()

  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known) return known
    const statement = db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const bound = (sql: string, values: SqlValue[]): StatementSync => {
    checkSqlLimits(values)
    return prepared(sql)
  }

  const emptyLog = (waitMs: number): boolean => {
    db.exec(`PRAGMA busy_timeout = ${waitMs}`)
    try {
      const { busy } = prepared('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
      return busy === 0
    } finally {
      db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    }
  }

  /** Throws when one of the files is not the one that was opened. */
  const look = (): void => {
    // A closed handle has no log: SQLite removes it.
    const watched = db.isOpen ? files : [file]
    const lost = watched.find((name, index) => identityOf(name) !== opened[index])
    if (lost === undefined) {
      isLogSaved = false
      return
    }
    // Where the database itself is in place, what SQLite still holds of the log is put there: the next start finds it.
    if (lost !== file && !isLogSaved) isLogSaved = saveLog()
    const advice = isLogSaved
      ? '; all that was acknowledged is in the database: stop the server and start it again'
      : ''
    throw new StoreFault('gone', `${lost} was removed or replaced${advice}`)
  }

  const saveLog = (): boolean => {
    try {
      return db.isOpen && emptyLog(0)
    } catch {
      // The next look tries again.
      return false
    }
  }

  /** A new handle reads what lies in the log, durable or not: nobody may use it before the log was emptied. */
  const replaceHandle = (): void => {
    statements = new Map()
    try {
      if (db.isOpen) db.close()
    } catch {
      // A handle that cannot be closed is given up.
    }
    db = open(file)
    opened = files.map(identityOf)
  }

  // SQLite rolls back on some errors only. On the others the transaction is still open, and the next one would join it.
  const rollBack = (cause: unknown): void => {
    try {
      if (db.isTransaction) prepared('ROLLBACK').run()
    } catch {
      throw new StoreFault('outcome_unknown', 'a transaction could not be rolled back', cause)
    }
  }

  return {
    all: <Row>(sql: string, ...values: SqlValue[]) => bound(sql, values).all(...values) as Row[],
    get: <Row>(sql: string, ...values: SqlValue[]) => bound(sql, values).get(...values) as Row | undefined,
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
    pause: () => new Promise((resolve) => setImmediate(resolve)),

    // Moves committed pages from the write-ahead log to the database file.
    tidy: () => void prepared('PRAGMA wal_checkpoint(PASSIVE)').get(),

    // The write-ahead log is another file, with older versions of the same pages.
    purge: () => emptyLog(0),
    emptyLog,

    diagnose: faultCodeOf,

    check(when) {
      const now = performance.now()
      if (when !== 'now' && now - lookedAt < FILE_CHECK_MS) return false
      // A look that failed counts for nothing: the next call looks again.
      lookedAt = Number.NEGATIVE_INFINITY
      look()
      lookedAt = now
      return true
    },

    // A failed sync may leave a commit in the log that the operating system shows and the disk does not have. This handle does
    // not count that commit, so emptying the log drops it. A new handle would read it as committed, and everything written
    // behind it would end at a hole after a power cut.
    recover() {
      if (failedRecovery && performance.now() - failedRecovery.at < RECOVER_MS) throw failedRecovery.cause
      try {
        look()
        if (!db.isOpen || db.isTransaction) replaceHandle()
        if (!emptyLog(0)) throw new StoreFault('unsynced', `another program is reading ${file}`)
        failedRecovery = null
      } catch (cause) {
        failedRecovery = { at: performance.now(), cause }
        throw cause
      }
    },

    close() {
      statements.clear()
      db.close()
    },
  }
}

/** While a file is open, the system gives its inode number to no other file. */
const identityOf = (file: string): string | null => {
  try {
    const { dev, ino } = statSync(file)
    return `${dev}:${ino}`
  } catch {
    return null
  }
}

const open = (file: string): Database => {
  const db = new DatabaseSync(file, { timeout: BUSY_MS })
  // FULL syncs the log at every commit: an acknowledged commit survives a power cut, not only a crash.
  // fullfsync matters on macOS alone, where a plain fsync stops at the drive's cache. The automatic checkpoint is a
  // backstop: `tidy` checkpoints when no append waits for it. secure_delete overwrites deleted text with zeros: a free page
  // would keep the text of a removed session until the page is used again.
  // The SELECT makes SQLite create the files beside the database now, so that their identity is known.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
    PRAGMA wal_autocheckpoint = 4000; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;
    SELECT 1 FROM sqlite_master LIMIT 1`)
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

export const faultCodeOf = (error: unknown): StoreFaultCode => {
  const code = resultCode(error)
  if (code !== undefined) return meanings[code] ?? 'outcome_unknown'
  // An error without a SQLite code was thrown by our own code (a value that cannot be encoded or bound), and rolled back. Only
  // a closed handle leaves open whether its last commit happened.
  const gone = error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE'
  return gone ? 'outcome_unknown' : 'refused'
}

/** Another process holds the lock. */
export const isBusy = (error: unknown): boolean => resultCode(error) === 5

const resultCode = (error: unknown): number | undefined =>
  typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
