// The folder that an agent works on in a chat. An engine works on the one in which the chat was started; the server may refuse it.
import type { NewSession } from '@bridle/client/index'
import { engineDescriptions } from '@bridle/runners/engine-table/descriptions'
import { type FolderChoice, readWorkspace, type WorkspaceFlags } from '../runs/workspace-option.ts'

export interface ChatWorkspaceFlags extends WorkspaceFlags {
  readonly 'no-workspace'?: boolean
}

export const chatWorkspace = (
  agent: string | undefined,
  flags: ChatWorkspaceFlags,
  env: NodeJS.ProcessEnv,
): FolderChoice | null => {
  if (flags['no-workspace']) return null
  return readWorkspace(worksOnFiles(agent) ? { workspace: '.', ...flags } : flags, env)
}

/** The agent of an engine has its name. Other agents get a folder only where one is named. */
const worksOnFiles = (agent: string | undefined): boolean =>
  engineDescriptions.some((engine) => engine.name === agent && engine.worksOnFiles)

export const newChatBody = (agent: string | undefined, workspace: FolderChoice | null): NewSession => ({
  ...(agent !== undefined && { agent }),
  ...(workspace && { workspace }),
})
