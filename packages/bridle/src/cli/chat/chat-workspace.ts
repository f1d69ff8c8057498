// The folder that an agent works on in a chat. An engine works on the one in which the chat was started; the server may refuse it.
import type { NewSession } from '../../client/index.ts'
import { type FolderChoice, readWorkspace, type WorkspaceFlags } from '../runs/workspace-option.ts'

/** Agents that read and write files; others get a folder only where one is named. */
const ENGINES_WITH_FILES = new Set(['claude', 'codex'])

export interface ChatWorkspaceFlags extends WorkspaceFlags {
  readonly 'no-workspace'?: boolean
}

/** The workspace of a new chat; null = none. */
export const chatWorkspace = (
  agent: string | undefined,
  flags: ChatWorkspaceFlags,
  env: NodeJS.ProcessEnv,
): FolderChoice | null => {
  if (flags['no-workspace']) return null
  const isEngine = agent !== undefined && ENGINES_WITH_FILES.has(agent)
  return readWorkspace(isEngine ? { workspace: '.', ...flags } : flags, env)
}

/** The body that makes a chat with its workspace. */
export const newChatBody = (agent: string | undefined, workspace: FolderChoice | null): NewSession => ({
  ...(agent !== undefined && { agent }),
  ...(workspace && { workspace }),
})
