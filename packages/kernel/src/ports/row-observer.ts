// The observer of directory rows. A row changes when a list would show something else, never with a token.
import type { Key } from '../event.ts'
import type { DirectoryRow } from './directory.ts'

/** A committed change of the row by which lists show a session. */
export interface RowChange {
  readonly key: Key
  /** The user that the session belongs to, as `ownerOf` writes it; null = nobody. */
  readonly owner: string | null
  /** The sequence number of the session's last event. */
  readonly head: number
  readonly incarnation: number
  /** Null = the session was removed. */
  readonly row: DirectoryRow | null
  /** The row before the change; null = there was none, or it is not known. */
  readonly before: DirectoryRow | null
}

export interface RowObserver {
  /** False = nobody reads the changes of this tenant, so that none has to be made. */
  isObserved(tenant: string): boolean
  /** Takes a change. It must not throw, and must not take long: a session waits for it. */
  observe(change: RowChange): void
}
