// A workspace is the folder in which a session with write access works. Targets without a disk have none.
import type { Key } from '@bridle/kernel/event'
import type { WorkspaceComparison, WorkspaceFile, WorkspaceFolder, WorkspaceOffer } from '@bridle/wire/http/wire'
import type { Access } from '../access/authenticate.ts'

export type WorkspaceKind = 'git_worktree' | 'copy' | 'empty' | 'in_place'

/** Apart from the source, or in the source itself. */
export type WorkspaceMode = 'write' | 'in_place'

export interface Workspace {
  readonly id: string
  readonly kind: WorkspaceKind
  readonly path: string
  /** Null: started empty. */
  readonly source: string | null
  readonly branch: string | null
  readonly commit: string | null
  /** Called if the session was not created. Removes the folder only if this call made it. */
  readonly discard: () => Promise<void>
}

export interface WorkspaceRequest {
  /** Default: `write`. */
  readonly mode?: WorkspaceMode
  /** A folder of the target. Null: start empty. */
  readonly source: string | null
  /** Determines which folders the caller may name. */
  readonly access: Access
  /** Parent of a branch. Its current files and its engine's memory are copied. */
  readonly parent?: Key
}

/** The request is invalid, or the session already exists, in which case its folder stays untouched. */
export type WorkspaceProblem = { readonly problem: string } | { readonly taken: true }

export interface Workspaces {
  prepare(key: Key, request: WorkspaceRequest): Promise<Workspace | WorkspaceProblem>
  /** False for folders that the caller may not name, even if the session uses one. */
  has(key: Key, request: WorkspaceRequest): Promise<boolean>
  offer(access: Access): WorkspaceOffer
}

export interface WorkspaceFiles {
  /** A session without files here is a valid answer. */
  compare(key: Key): Promise<WorkspaceComparison | WorkspaceFilesRefusal>
  /** An empty path is the workspace itself. */
  list(key: Key, path: string): Promise<WorkspaceFolder | WorkspaceFilesRefusal>
  read(key: Key, path: string, version: WorkspaceFile['version']): Promise<WorkspaceFile | WorkspaceFilesRefusal>
}

/** The message is for the caller and names no path of the server. */
export interface WorkspaceFilesRefusal {
  readonly refused: 'not_found' | 'bad_path' | 'busy'
  readonly message: string
}
