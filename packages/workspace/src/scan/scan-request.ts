// The messages between a server and the thread that lists and searches files for it.
import type { WorkspaceErrorCode } from '../files/workspace-error.ts'

/** The work of the thread. Paths are as the model wrote them. */
export type ScanRequest = ListRequest | SearchRequest

export interface ListRequest {
  readonly kind: 'list'
  readonly root: string
  readonly path: string
  /** Null: the entries of one folder. */
  readonly glob: string | null
}

export interface SearchRequest extends Omit<ListRequest, 'kind'> {
  readonly kind: 'search'
  readonly pattern: string
  /** The pattern is a text, not a regular expression. */
  readonly isText: boolean
  readonly ignoresCase: boolean
}

/** The begin, each line of the result as soon as it is found, and the end. */
export type ScanMessage =
  | { readonly begun: true }
  | { readonly line: string }
  | { readonly end: ScanEnd }
  | { readonly error: { readonly code: WorkspaceErrorCode; readonly message: string } }

export interface ScanEnd {
  /** There is more than the result may hold. */
  readonly isCut: boolean
  /** Files and folders that could not be read, are too large, or have names that nobody can see. */
  readonly skipped: number
}
