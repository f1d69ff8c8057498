// Listing files must not start a container, so only running ones are asked.
import type { AgentInfo } from '@bridle/kernel/agent-info'
import type { SandboxProvider } from '@bridle/runners/remote/provider'
import { askWorkFiles } from '@bridle/runners/sandboxes/runner-calls'
import { fetchedWorkspaceFiles } from '@bridle/surfaces/http/workspaces/fetched-workspace-files'
import type { WorkspaceFiles } from '@bridle/surfaces/http/workspaces/workspaces'

export const sandboxFiles = (
  provider: Pick<SandboxProvider, 'findOwn'>,
  agents: ReadonlyMap<string, AgentInfo>,
): WorkspaceFiles =>
  fetchedWorkspaceFiles(async (key, path) => {
    // Agents in the Worker have no container.
    if (agents.get(key.agent)?.runnerKind !== 'bridge') return null
    const sandbox = await provider.findOwn?.(key)
    return sandbox ? askWorkFiles(sandbox, path) : null
  })
