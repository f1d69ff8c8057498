// Where write-capable work happens, apart from what it works on. A target may have none.
import type { Key } from '../../kernel/event.ts'

export interface Workspace {
  readonly id: string
  /** A worktree of the source's repository, or a copy of the source. */
  readonly kind: 'git_worktree' | 'copy' | 'empty'
  readonly path: string
  readonly source: string | null
  readonly branch: string | null
  readonly commit: string | null
  /** Nobody is going to use it. */
  readonly discard: () => Promise<void>
}

export interface Workspaces {
  /**
   * The same session gets the same workspace again. `source` is a folder of the target's; null = its own default. Of a
   * parent, a branch has what its engine remembers; the work begins with the source.
   */
  prepare(key: Key, source: string | null, parent?: Key): Promise<Workspace | { readonly problem: string }>
}
