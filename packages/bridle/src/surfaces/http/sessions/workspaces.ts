// Where write-capable work happens, apart from what it works on. A target may have none.
import type { Key } from '../../../kernel/event.ts'
import type { Access } from '../access/authenticate.ts'

export interface Workspace {
  readonly id: string
  /** A worktree of the source's repository, a copy of the source, or a folder that begins empty. */
  readonly kind: 'git_worktree' | 'copy' | 'empty'
  readonly path: string
  /** Null = it began empty. */
  readonly source: string | null
  readonly branch: string | null
  readonly commit: string | null
  /** The session was not made after all. Removes what this very call made, and nothing of a session that exists. */
  readonly discard: () => Promise<void>
}

export interface WorkspaceRequest {
  /** A folder of the target's; null = the workspace begins empty. */
  readonly source: string | null
  /** Who asks: not everybody may name every folder. */
  readonly access: Access
  /** A branch begins with its parent's files as they are, and with what its parent's engine remembers. */
  readonly parent?: Key
}

/** Why there is no workspace: the request is wrong, or the session exists and nothing of it is touched. */
export type WorkspaceProblem = { readonly problem: string } | { readonly taken: true }

export interface Workspaces {
  /** The same session gets the same workspace again. */
  prepare(key: Key, request: WorkspaceRequest): Promise<Workspace | WorkspaceProblem>
}
