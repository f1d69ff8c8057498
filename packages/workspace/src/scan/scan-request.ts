import type { WorkspaceErrorCode } from '../files/workspace-error.ts'

export type ScanRequest = ListRequest | SearchRequest

export interface ListRequest {
  readonly kind: 'list'
  readonly root: string
  readonly path: string
  /** Null lists a single folder. */
  readonly glob: string | null
}

export interface SearchRequest extends Omit<ListRequest, 'kind'> {
  readonly kind: 'search'
  readonly pattern: string
  /** Literal text instead of a regular expression. */
  readonly isText: boolean
  readonly ignoresCase: boolean
}

export type ScanMessage =
  | { readonly begun: true }
  | { readonly line: string }
  | { readonly end: ScanEnd }
  | { readonly error: { readonly code: WorkspaceErrorCode; readonly message: string } }

export interface ScanEnd {
  readonly isCut: boolean
  readonly skipped: number
}
