/** Determines how a caller reacts. */
export type StoreFaultCode =
  /** Another owner has the session: drop it. */
  | 'fenced'
  /** The disk or quota is full. Nothing was written. */
  | 'full'
  /** The write may have succeeded: drop the session, reopen it, and read. */
  | 'outcome_unknown'
  /** A sync failed recently: no reads or writes until all readable data is known to be on disk. */
  | 'unsynced'
  /** A row fails its checksum. Only that session is stopped. */
  | 'corrupt'
  /** The data was deleted under the store; writes would be lost. */
  | 'gone'
  /** The storage for large texts is unreachable. Nothing was written or lost. */
  | 'unreachable'
  /** A large text is missing from its storage. Only that artifact is unreadable. */
  | 'content_gone'
  /** Another process uses the data folder. Nothing was opened. */
  | 'in_use'
  /** The reader has too many long lists in progress. Nothing was read. */
  | 'busy'
  /** Contract violation, such as a sequence gap or a first append without a row. */
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
