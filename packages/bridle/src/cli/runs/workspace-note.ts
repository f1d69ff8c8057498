// Where a session works, as a person at a terminal needs to know it: before the work, and behind it to take the changes over.
import type { SessionDetail } from '../../client/index.ts'

type WorkspaceCard = Pick<
  SessionDetail,
  'id' | 'workspace_kind' | 'workspace_path' | 'workspace_source' | 'workspace_branch'
>

/** The place of the work; null = the session has no workspace. */
export const workspaceNote = (card: WorkspaceCard): string | null => {
  const { workspace_kind: kind, workspace_path: path = '', workspace_source: source, workspace_branch: branch } = card
  switch (kind) {
    case 'git_worktree':
      return `Works in a copy, on branch ${branch}: your files stay as they are. --workspace-mode in-place works in the folder itself.\n${path}`
    case 'copy':
      return `Works in a copy of ${source}: your files stay as they are. --workspace-mode in-place works in the folder itself.\n${path}`
    case 'empty':
      return `Works in ${path}`
    case 'in_place':
      return `Works in ${path} itself: changes are made there.`
    case undefined:
      return null
  }
}

/** How the changes come into the folder of the person; null = they are there, or there is no such folder. */
export const takeOverNote = ({ id, workspace_kind: kind, workspace_path: path }: WorkspaceCard): string | null => {
  if (kind === 'git_worktree') return `To bring the changes into your folder: bridle apply ${id}`
  return kind === 'copy' ? `The changes are in ${path}` : null
}
