import { CopyFault } from '@bridle/runners/sandboxes/folders/folder-copy'
import { TenantDiskFullError } from '@bridle/runners/sandboxes/folders/tenant-disk-usage'
import { BranchInUseError } from '@bridle/runners/workspaces/worktree'

export class WorkspaceFault extends Error {
  readonly code = 'workspace_unavailable'
}

/** Errors whose message is for the caller. */
const SAYING = [WorkspaceFault, CopyFault, TenantDiskFullError, BranchInUseError]

/** Other errors may contain paths of the server, so only their code is shown. */
export const problemOf = (error: unknown): string => {
  if (SAYING.some((kind) => error instanceof kind)) return (error as Error).message
  const { code } = error as { code?: unknown }
  return `The workspace could not be prepared${typeof code === 'string' ? ` (${code})` : ''}.`
}

/** A repository may be larger: worktrees contain only committed files, and no copy limit applies. */
export const withAdvice = (error: unknown): unknown =>
  error instanceof CopyFault && (error.code === 'too_large' || error.code === 'too_many')
    ? new WorkspaceFault(`${error.message} Name a smaller folder, or make this one a repository of git with a commit.`)
    : error
