// The interface between a server and its store, also for stores that operators provide as a module.
import type { Directory } from '@bridle/kernel/ports/directory'
import type { Log } from '@bridle/kernel/ports/log'
import type { StoreFault } from '@bridle/kernel/ports/store-fault'

/** A store that a server opened and closes when it stops. */
export interface OpenStore {
  /** Shown by `/ready` and `bridle doctor`. A data folder can only be used with a store of the same name. */
  readonly name: string
  /** The sessions. Appends are atomic, durable when they resolve, and fenced by the epoch of their lease. */
  readonly log: Log
  /** Across sessions: lists, the approval inbox, and due sessions. */
  readonly directory: Directory
  /** Why writes fail now, or null. Called every second and for each `/ready`, so it must not block. Absent: writes never fail. */
  writeFault?(): StoreFault | null
  /** Acknowledged commits that were missing on open. Logged once with all fields, and counted in `/metrics`. */
  readonly damage?: { readonly commitsLost: number } | null
  /** Resolves when all acknowledged data is durable. The server makes no calls afterwards. */
  close(): Promise<void>
}

/** The argument of a StoreOpener. */
export interface StoreContext {
  /** The absolute path of the data folder, which exists and is locked by this process. */
  readonly data: string
}

/** Called once at server start. Rejects with an error that explains what is wrong. */
export type StoreOpener = (context: StoreContext) => Promise<OpenStore>
