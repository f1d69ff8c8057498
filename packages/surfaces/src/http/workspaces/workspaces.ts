// A workspace: the folder in which a session with write access works, apart from its source. A target without a disk has none.
import type { Key } from '@bridle/kernel/event'
import type { WorkspaceComparison, WorkspaceFile, WorkspaceFolder, WorkspaceOffer } from '@bridle/wire/http/wire'
import type { Access } from '../access/authenticate.ts'

/** A worktree of the source's repository, a copy of the source, an empty folder, or the source itself. */
export type WorkspaceKind = 'git_worktree' | 'copy' | 'empty' | 'in_place'

/** The ways in which a session has files: apart from its source, or in the source itself. */
export type WorkspaceMode = 'write' | 'in_place'

export interface Workspace {
  readonly id: string
  readonly kind: WorkspaceKind
  readonly path: string
  /** Null = the folder was empty at first. */
  readonly source: string | null
  readonly branch: string | null
  readonly commit: string | null
  /** Called when the session was not made. Removes only the folder that this call made, never one of a session that exists. */
  readonly discard: () => Promise<void>
}

export interface WorkspaceRequest {
  /** Default `write`. */
  readonly mode?: WorkspaceMode
  /** A folder of the target; null = the workspace is empty at first. */
  readonly source: string | null
  /** Decides which folders the caller may name. */
  readonly access: Access
  /** The session that is branched: its files as they are now, and the memory of its engine, are copied. */
  readonly parent?: Key
}

/** The reason why there is no workspace: the request is wrong, or the session exists, and its folder stays as it is. */
export type WorkspaceProblem = { readonly problem: string } | { readonly taken: true }

export interface Workspaces {
  /** A second call for the same session returns the same workspace. */
  prepare(key: Key, request: WorkspaceRequest): Promise<Workspace | WorkspaceProblem>
  /** Whether an existing session has the workspace that a caller asks for. A folder that the caller may not name is never that. */
  has(key: Key, request: WorkspaceRequest): Promise<boolean>
  /** The modes and folders that a caller may ask for. */
  offer(access: Access): WorkspaceOffer
}

/** Reads the files of sessions. A target without a disk has none. */
export interface WorkspaceFiles {
  /** The files that differ from the source. A session without files here is an answer too. */
  compare(key: Key): Promise<WorkspaceComparison | WorkspaceFilesRefusal>
  /** The entries of one folder; an empty path is the workspace itself. */
  list(key: Key, path: string): Promise<WorkspaceFolder | WorkspaceFilesRefusal>
  read(key: Key, path: string, version: WorkspaceFile['version']): Promise<WorkspaceFile | WorkspaceFilesRefusal>
}

/** The reason why files are not shown. The message is for the caller, and names no path of the server. */
export interface WorkspaceFilesRefusal {
  readonly refused: 'not_found' | 'bad_path' | 'busy'
  readonly message: string
}
