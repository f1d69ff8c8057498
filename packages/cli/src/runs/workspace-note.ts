import type { FabricClient, SessionDetail } from '@bridle/client/index'
import { isTakenOver } from '../apply/take-over.ts'
import { commandName } from '../command/command-name.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'

type WorkspaceCard = Pick<
  SessionDetail,
  'id' | 'workspace_kind' | 'workspace_path' | 'workspace_source' | 'workspace_branch'
>

export const workspaceNote = (card: WorkspaceCard): string | null => {
  const { workspace_kind: kind, workspace_path: path = '', workspace_source: source, workspace_branch: branch } = card
  switch (kind) {
    case 'git_worktree':
      return `Works on branch ${branch}, in a folder of its own:\n  ${path}\n${UNTOUCHED}`
    case 'copy':
      return `Works in a copy of ${source}:\n  ${path}\n${UNTOUCHED}`
    case 'empty':
      return `Works in ${path}`
    case 'in_place':
      return `Works in ${path} itself: changes are made there.`
    case undefined:
      return null
  }
}

/** Like all notes here, fits in 80 columns, because terminals break longer lines within words. */
const UNTOUCHED = 'Your files stay as they are; --workspace-mode in-place changes them.'

/** How to get the agent's changes. Null if there are none, or they are already in the user's folder. */
export const changesNote = async (
  fabric: FabricClient,
  { id, agent }: { readonly id: string; readonly agent: string },
  serverFlags: string,
): Promise<string | null> => {
  const { is_compared: isCompared, changes } = await fabric.workspace(id, agent)
  if (!isCompared || changes.length === 0) return null
  const card = await fabric.session(id, agent)
  return (await isInFolder(card)) ? null : takeOverNote(card, await sessionFlags(fabric, { id, agent }, serverFlags))
}

/** True if the changes were already applied here. A remote server's folders do not exist on this machine. */
const isInFolder = async ({
  workspace_kind: kind,
  workspace_source: source,
  workspace_path: path,
}: WorkspaceCard): Promise<boolean> =>
  kind === 'git_worktree' && source !== undefined && path !== undefined
    ? isTakenOver(source, path).catch(() => false)
    : false

/** How to copy the changes to the user's folder. Null if they are already there, or there is no such folder. */
export const takeOverNote = (
  { id, workspace_kind: kind, workspace_path: path }: WorkspaceCard,
  nextFlags: string,
): string | null => {
  if (kind === 'git_worktree')
    return `To bring the changes into your folder:\n  ${commandName()} apply ${id}${nextFlags}`
  return kind === 'copy' ? `The changes are in\n  ${path}` : null
}
