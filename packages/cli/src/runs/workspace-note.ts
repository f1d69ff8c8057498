// Where a session works, as a person at a terminal needs to know it: before the work, and behind it to take the changes over.
import type { FabricClient, SessionDetail } from '@bridle/client/index'
import { isTakenOver } from '../apply/take-over.ts'
import { commandName } from '../command/command-name.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'

type WorkspaceCard = Pick<
  SessionDetail,
  'id' | 'workspace_kind' | 'workspace_path' | 'workspace_source' | 'workspace_branch'
>

/** The place of the work; null = the session has no workspace. */
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

/** Fits a line of 80 characters, like all of these: a terminal breaks longer ones in the middle of a word. */
const UNTOUCHED = 'Your files stay as they are; --workspace-mode in-place changes them.'

/** How to get what the agent has changed; null = it changed nothing, or the changes are in the person's folder. */
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

/** The changes were brought over before. A server on another machine has folders that are not here. */
const isInFolder = async ({
  workspace_kind: kind,
  workspace_source: source,
  workspace_path: path,
}: WorkspaceCard): Promise<boolean> =>
  kind === 'git_worktree' && source !== undefined && path !== undefined
    ? isTakenOver(source, path).catch(() => false)
    : false

/** How the changes come into the folder of the person; null = they are there, or there is no such folder. */
export const takeOverNote = (
  { id, workspace_kind: kind, workspace_path: path }: WorkspaceCard,
  nextFlags: string,
): string | null => {
  if (kind === 'git_worktree')
    return `To bring the changes into your folder:\n  ${commandName()} apply ${id}${nextFlags}`
  return kind === 'copy' ? `The changes are in\n  ${path}` : null
}
