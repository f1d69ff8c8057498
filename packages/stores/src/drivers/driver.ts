// Implemented for Node and Durable Objects. Shared SQL must not use BEGIN, SAVEPOINT or PRAGMA, which a Durable Object refuses.
import { StoreFault, type StoreFaultCode } from '@bridle/kernel/ports/store-fault'

/** The limit of a Durable Object. Enforced by all drivers, so that tests on Node find violations. */
const PARAMETERS_MAX = 100
/** Below the 2 MB limit of a Durable Object. Enforced by all drivers, too. */
const ROW_BYTES_MAX = 1_900_000

export type SqlValue = string | number | null | Uint8Array

export interface SqlDriver {
  all<Row>(sql: string, ...values: SqlValue[]): Row[]
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined
  run(sql: string, ...values: SqlValue[]): void
  /** Atomic, and durable when it returns. Not nested. */
  transaction<T>(work: () => T): T
  /** Runs `work` after the current turn of the event loop; in a Durable Object, in a microtask. */
  schedule(work: () => void): void
  /** Resolves when other work of the process has had a turn. */
  pause(): Promise<void>
  /** Bulk work such as a checkpoint, while no append waits for it. */
  tidy?(): void
  /** Erases deleted text from files such as the write-ahead log. False: try again later. */
  purge?(): boolean
  /** Throws a StoreFault if the data has disappeared. Called before each commit and read. True if it actually looked. */
  check?(look: 'now and then' | 'now'): boolean
  diagnose(error: unknown): StoreFaultCode
  /** Called after a possible sync failure, before anything else. Returns once all readable data is durable, or throws. */
  recover(): void
}

/** Drivers call this before binding values. */
export const checkSqlLimits = (values: readonly SqlValue[]): void => {
  if (values.length > PARAMETERS_MAX) throw new StoreFault('refused', `${values.length} parameters in one statement`)
  let bytes = 0
  for (const value of values) bytes += typeof value === 'string' ? value.length * 3 : sizeOf(value)
  if (bytes <= ROW_BYTES_MAX) return
  // Measure exactly only if the worst case of three bytes per UTF-16 unit is too large.
  bytes = 0
  for (const value of values)
    bytes += typeof value === 'string' ? new TextEncoder().encode(value).length : sizeOf(value)
  if (bytes > ROW_BYTES_MAX) throw new StoreFault('refused', `a row of ${bytes} bytes`)
}

const sizeOf = (value: Exclude<SqlValue, string>): number => (value instanceof Uint8Array ? value.byteLength : 8)

export const toStoreFault = (driver: SqlDriver, error: unknown, doing: string): StoreFault => {
  if (error instanceof StoreFault) return error
  const detail = error instanceof Error ? error.message : String(error)
  // The only JSON parsed here is stored text.
  const code = error instanceof SyntaxError ? 'corrupt' : driver.diagnose(error)
  return new StoreFault(code, `${doing}: ${detail}`, error)
}
