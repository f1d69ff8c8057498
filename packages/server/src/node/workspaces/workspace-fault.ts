// Faults while a workspace is prepared, and the words for the caller.
import { CopyFault } from '@bridle/runners/sandboxes/folders/folder-copy'
import { TenantDiskFullError } from '@bridle/runners/sandboxes/folders/tenant-disk-usage'
import { BranchInUseError } from '@bridle/runners/workspaces/worktree'

/** A fault whose message is for the caller. */
export class WorkspaceFault extends Error {
  readonly code = 'workspace_unavailable'
}

/** Errors whose message is for the caller. */
const SAYING = [WorkspaceFault, CopyFault, TenantDiskFullError, BranchInUseError]

/** The text for the caller. Other errors name paths of the server, so only their code is shown. */
export const problemOf = (error: unknown): string => {
  if (SAYING.some((kind) => error instanceof kind)) return (error as Error).message
  const { code } = error as { code?: unknown }
  return `The workspace could not be prepared${typeof code === 'string' ? ` (${code})` : ''}.`
}

/** The fault of a source that is too large to copy: a worktree has committed files alone, and counts against no limit of copies. */
export const withAdvice = (error: unknown): unknown =>
  error instanceof CopyFault && (error.code === 'too_large' || error.code === 'too_many')
    ? new WorkspaceFault(`${error.message} Name a smaller folder, or make this one a repository of git with a commit.`)
    : error
