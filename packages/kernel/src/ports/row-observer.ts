// A row changes when a list would show something else, never with a token.
import type { Key } from '../event.ts'
import type { DirectoryRow } from './directory.ts'

export interface RowChange {
  readonly key: Key
  /** Written as by `ownerOf`. */
  readonly owner: string | null
  readonly head: number
  readonly incarnation: number
  /** Null if the session was removed. */
  readonly row: DirectoryRow | null
  /** Null if unknown or new. */
  readonly before: DirectoryRow | null
}

export interface RowObserver {
  /** False if the tenant has no readers, so that changes need not be computed. */
  isObserved(tenant: string): boolean
  /** Must neither throw nor block: a session waits for it. */
  observe(change: RowChange): void
}
