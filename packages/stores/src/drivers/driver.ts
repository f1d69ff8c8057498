// The calls that a database must offer. SQLite on Node and the SQL of a Durable Object both implement them, so the store is
// written once. Shared SQL holds no BEGIN, SAVEPOINT or PRAGMA: a Durable Object refuses them.
import { StoreFault, type StoreFaultCode } from '@bridle/kernel/ports/store-fault'

/** A Durable Object binds no more. Kept on every driver, so that a test on Node finds what production would refuse. */
const PARAMETERS_MAX = 100
/** A Durable Object refuses rows of 2 MB; kept on every driver for the same reason. */
const ROW_BYTES_MAX = 1_900_000

export type SqlValue = string | number | null | Uint8Array

export interface SqlDriver {
  all<Row>(sql: string, ...values: SqlValue[]): Row[]
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined
  run(sql: string, ...values: SqlValue[]): void
  /** All of it or none of it, and durable when it returns. Not nested. */
  transaction<T>(work: () => T): T
  /** Runs `work` soon: after the current turn of the event loop where there is one, at once in a Durable Object. */
  schedule(work: () => void): void
  /** Resolves when the other work of the process has had a turn. */
  pause(): Promise<void>
  /** Does the database's bulk work, such as a checkpoint, at a moment when no append waits for it. Optional. */
  tidy?(): void
  /** Erases deleted text from files beside the database, such as the write-ahead log. False = try again later. Optional. */
  purge?(): boolean
  /**
   * Throws a StoreFault when the data is no longer where it was. Called before each commit and read; true when it has just
   * looked. Optional.
   */
  check?(look: 'now and then' | 'now'): boolean
  diagnose(error: unknown): StoreFaultCode
  /**
   * Called after an error that may be a failed sync, before anything else is read or written. Returns when all that can be
   * read is durable; throws while that is not certain.
   */
  recover(): void
}

/** Every driver passes its values through here before it binds them. */
export const checkSqlLimits = (values: readonly SqlValue[]): void => {
  if (values.length > PARAMETERS_MAX) throw new StoreFault('refused', `${values.length} parameters in one statement`)
  let bytes = 0
  for (const value of values) bytes += typeof value === 'string' ? value.length * 3 : sizeOf(value)
  if (bytes <= ROW_BYTES_MAX) return
  // Three bytes per unit is the worst case; only a row that might be too large is measured.
  bytes = 0
  for (const value of values)
    bytes += typeof value === 'string' ? new TextEncoder().encode(value).length : sizeOf(value)
  if (bytes > ROW_BYTES_MAX) throw new StoreFault('refused', `a row of ${bytes} bytes`)
}

const sizeOf = (value: Exclude<SqlValue, string>): number => (value instanceof Uint8Array ? value.byteLength : 8)

/** A driver's error as the fault that callers match on. */
export const toStoreFault = (driver: SqlDriver, error: unknown, doing: string): StoreFault => {
  if (error instanceof StoreFault) return error
  const detail = error instanceof Error ? error.message : String(error)
  // Only stored text is parsed here.
  const code = error instanceof SyntaxError ? 'corrupt' : driver.diagnose(error)
  return new StoreFault(code, `${doing}: ${detail}`, error)
}
