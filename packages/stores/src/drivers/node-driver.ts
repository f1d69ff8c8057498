import { statSync } from 'node:fs'
import type { DatabaseSync as Database, StatementSync } from 'node:sqlite'
import { StoreFault, type StoreFaultCode } from '@bridle/kernel/ports/store-fault'
import { checkSqlLimits, type SqlDriver, type SqlValue } from './driver.ts'
import { DatabaseSync } from './sqlite-module.ts'

/** Checking the files takes a few microseconds: too much for every commit, negligible ten times a second. */
const FILE_CHECK_MS = 100
/** Bounds the retries on a failing disk, regardless of the number of callers. */
const RECOVER_MS = 250
/** How long a statement waits for another program's lock, such as a backup's. */
const BUSY_MS = 5_000

export interface NodeDriver extends SqlDriver {
  /** Checkpoints and syncs the write-ahead log, then truncates it. False if another program still reads it after `waitMs`. */
  emptyLog(waitMs: number): boolean
  close(): void
}

export const nodeDriver = (file: string): NodeDriver => {
  let db = open(file)
  // SQLite keeps writing to deleted files without an error, so their identity is checked.
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

  /** Throws if a file is no longer the one that was opened. */
  const look = (): void => {
    // SQLite removes the log when its handle is closed.
    const watched = db.isOpen ? files : [file]
    const lost = watched.find((name, index) => identityOf(name) !== opened[index])
    if (lost === undefined) {
      isLogSaved = false
      return
    }
    // If only the log is gone, save what SQLite still holds of it in the database for the next start.
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
      // Retried at the next look.
      return false
    }
  }

  /** A new handle reads everything in the log, durable or not, so it must not be used before the log is empty. */
  const replaceHandle = (): void => {
    statements = new Map()
    try {
      if (db.isOpen) db.close()
    } catch {
      // Abandon a handle that cannot be closed.
    }
    db = open(file)
    opened = files.map(identityOf)
  }

  // SQLite rolls back on some errors only. Otherwise, the next transaction would join the open one.
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

    // Checkpoints committed pages.
    tidy: () => void prepared('PRAGMA wal_checkpoint(PASSIVE)').get(),

    // The write-ahead log keeps older versions of pages, with deleted text.
    purge: () => emptyLog(0),
    emptyLog,

    diagnose: faultCodeOf,

    check(when) {
      const now = performance.now()
      if (when !== 'now' && now - lookedAt < FILE_CHECK_MS) return false
      // A failed look does not count.
      lookedAt = Number.NEGATIVE_INFINITY
      look()
      lookedAt = now
      return true
    },

    // After a failed sync, the log may hold a commit that the disk lacks. This handle ignores it, so emptying the log drops it. A
    // new handle would read it as committed, and a power cut would lose everything written after it.
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

/** The OS does not reuse the inode of an open file. */
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
  // synchronous=FULL syncs the log at every commit, so that acknowledged commits survive a power cut. fullfsync does the same on
  // macOS, where fsync stops at the drive's cache. wal_autocheckpoint is a backstop: `tidy` checkpoints while no append waits.
  // secure_delete zeroes deleted text, which free pages would otherwise keep. The SELECT creates the files beside the database
  // now,
  // so that their identity is known.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
    PRAGMA wal_autocheckpoint = 4000; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;
    SELECT 1 FROM sqlite_master LIMIT 1`)
  return db
}

/** Result codes after which certainly nothing was written. Other errors leave it open. */
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
  // Errors without a SQLite code are our own and were rolled back, except on a closed handle, whose last commit is uncertain.
  const gone = error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE'
  return gone ? 'outcome_unknown' : 'refused'
}

/** Another process holds the lock. */
export const isBusy = (error: unknown): boolean => resultCode(error) === 5

const resultCode = (error: unknown): number | undefined =>
  typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
