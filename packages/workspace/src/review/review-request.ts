import type { WorkspaceErrorCode } from '../files/workspace-error.ts'
import type { SourceComparison } from './source-comparison.ts'
import type { SnapshotRequest } from './source-snapshot.ts'
import type { FileLook, FolderLook } from './tree-looks.ts'

/** `memory`: the snapshot of the source; null if the workspace started empty. `isInPlace`: hide the owner's files. */
export type ReviewRequest = { readonly ms: number; readonly isInPlace?: boolean } & (
  | ({ readonly kind: 'remember' } & SnapshotRequest)
  | { readonly kind: 'compare'; readonly root: string; readonly memory: string | null }
  | { readonly kind: 'folder' | 'file'; readonly root: string; readonly path: string }
  | { readonly kind: 'source'; readonly memory: string | null; readonly path: string }
)

export interface ReviewResults {
  remember: boolean
  compare: SourceComparison | null
  folder: FolderLook
  file: FileLook
  source: FileLook
}

export type ReviewAnswer =
  | { readonly result: ReviewResults[keyof ReviewResults] }
  | { readonly error: { readonly code: WorkspaceErrorCode; readonly message: string } }
