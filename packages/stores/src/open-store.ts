// The seam between a server and its store. SQLite and the memory store fit it, and so does a module of the operator's.
import type { Directory } from '@bridle/kernel/ports/directory'
import type { Log } from '@bridle/kernel/ports/log'
import type { StoreFault } from '@bridle/kernel/ports/store-fault'

/** A store that a server has opened, and closes when it stops. */
export interface OpenStore {
  /** Shown by `/ready` and `bridle doctor`. A data folder stays with the store that it began with, by this name. */
  readonly name: string
  /** The sessions: each append is atomic and durable when it resolves, and fenced by the epoch of its lease. */
  readonly log: Log
  /** Across sessions: lists, the approval inbox, and the sessions that are due. */
  readonly directory: Directory
  /**
   * Why nothing can be written now; null = writes work. The server asks every second and for each `/ready`, so the answer
   * must not wait for anything. Absent = writes always work.
   */
  writeFault?(): StoreFault | null
  /** Acknowledged commits that were missing when the store was opened: logged once with all fields, counted in `/metrics`. */
  readonly damage?: { readonly commitsLost: number } | null
  /** Resolves when everything that was acknowledged is durable. The server calls nothing of the store afterwards. */
  close(): Promise<void>
}

/** The argument of a StoreOpener. */
export interface StoreContext {
  /** The data folder, as an absolute path; it exists, and this process has locked it. */
  readonly data: string
}

/** Called once, when the server starts. Rejects with an error that says what is in the way. */
export type StoreOpener = (context: StoreContext) => Promise<OpenStore>
