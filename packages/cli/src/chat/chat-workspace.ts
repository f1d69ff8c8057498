// The workspace of a new chat. Engines get the current folder, which the server may refuse.
import type { FabricClient, NewSession } from '@bridle/client/index'
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

/** The same for an agent with its own name on an engine, which only the server knows. */
export const agentWorkspace = async (
  fabric: FabricClient,
  agent: string | undefined,
  flags: ChatWorkspaceFlags,
  env: NodeJS.ProcessEnv,
): Promise<FolderChoice | null> => {
  if (agent === undefined || worksOnFiles(agent) || flags['no-workspace']) return null
  const { agents } = await fabric.agents().catch(() => ({ agents: [] }))
  const found = agents.find(({ name, runner_kind: kind }) => name === agent && kind === 'bridge')
  return found ? chatWorkspace(found.engine, flags, env) : null
}

/** An engine's agent has the engine's name. Other agents get a folder only if one is named. */
const worksOnFiles = (agent: string | undefined): boolean =>
  engineDescriptions.some((engine) => engine.name === agent && engine.worksOnFiles)

export const newChatBody = (agent: string | undefined, workspace: FolderChoice | null): NewSession => ({
  ...(agent !== undefined && { agent }),
  ...(workspace && { workspace }),
})
