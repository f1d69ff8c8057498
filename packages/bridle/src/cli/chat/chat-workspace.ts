// The folder that an engine works on: the one in which the chat was started. The server may refuse it.
import type { NewSession } from '../../client/index.ts'

/** Agents that read and write files; others get no folder. */
const ENGINES_WITH_FILES = new Set(['claude', 'codex'])

export interface ChatWorkspaceFlags {
  readonly 'no-workspace'?: boolean
}

/** The workspace of a new chat; null = none. */
export const chatWorkspace = (
  agent: string | undefined,
  flags: ChatWorkspaceFlags,
  folder: string,
): NewChatWorkspace | null =>
  agent !== undefined && ENGINES_WITH_FILES.has(agent) && !flags['no-workspace']
    ? { mode: 'write', source: folder }
    : null

export interface NewChatWorkspace {
  readonly mode: 'read' | 'write'
  readonly source: string
}

/** The body that makes a chat with its workspace. */
export const newChatBody = (agent: string | undefined, workspace: NewChatWorkspace | null): NewSession => ({
  ...(agent !== undefined && { agent }),
  ...(workspace && { workspace }),
})
