// The faults of a store: one error class, and a code that says what the caller has to do.

/** The code of a fault. The caller decides by it what to do. */
export type StoreFaultCode =
  /** Another owner has the session: drop it. */
  | 'fenced'
  /** No room: nothing was written. */
  | 'full'
  /** The write may or may not be there: drop the session, reopen, read. */
  | 'outcome_unknown'
  /** A sync failed a moment ago: nothing is read or written until all that can be read is known to be on the disk. */
  | 'unsynced'
  /** A row does not match its checksum; that session alone is stopped. */
  | 'corrupt'
  /** The data was taken away from under the store: a write now would be lost. */
  | 'gone'
  /** The place where the store keeps large texts cannot be reached: nothing was written, nothing is lost. */
  | 'unreachable'
  /** A large text is not there any more where the store kept it; that artifact alone cannot be read. */
  | 'content_gone'
  /** Another process has the data folder: nothing was opened. */
  | 'in_use'
  /** The reader has too many long lists in progress: nothing was read. */
  | 'busy'
  /** Broken contract (a gap in the numbers, a first append without a row). */
  | 'refused'

/** The only error with which a store rejects. */
export class StoreFault extends Error {
  /** The code to match. */
  readonly code: StoreFaultCode
  constructor(code: StoreFaultCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'StoreFault'
    this.code = code
  }
}

export const hasFaultCode = (cause: unknown, code: StoreFaultCode): boolean =>
  cause instanceof StoreFault && cause.code === code
