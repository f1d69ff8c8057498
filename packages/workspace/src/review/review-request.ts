// The messages between a server and the thread that reads the files of sessions for it.
import type { WorkspaceErrorCode } from '../files/workspace-error.ts'
import type { SourceComparison } from './source-comparison.ts'
import type { SnapshotRequest } from './source-snapshot.ts'
import type { FileLook, FolderLook } from './tree-looks.ts'

/** `memory`: what is remembered of the source; null: the files began with nothing. `isInPlace`: some of the owner's files are not shown. */
export type ReviewRequest = { readonly ms: number; readonly isInPlace?: boolean } & (
  | ({ readonly kind: 'remember' } & SnapshotRequest)
  | { readonly kind: 'compare'; readonly root: string; readonly memory: string | null }
  | { readonly kind: 'folder' | 'file'; readonly root: string; readonly path: string }
  | { readonly kind: 'source'; readonly memory: string | null; readonly path: string }
)

export interface ReviewResults {
  remember: boolean
  /** Null = nobody remembers the source. */
  compare: SourceComparison | null
  folder: FolderLook
  file: FileLook
  source: FileLook
}

export type ReviewAnswer =
  | { readonly result: ReviewResults[keyof ReviewResults] }
  | { readonly error: { readonly code: WorkspaceErrorCode; readonly message: string } }
