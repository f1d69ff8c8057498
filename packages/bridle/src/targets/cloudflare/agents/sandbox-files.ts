// The files of sessions in their containers. Only a container that is up is asked: a look at files starts none.
import type { AgentInfo } from '../../../kernel/agent-info.ts'
import type { SandboxProvider } from '../../../runners/sandboxes/provider.ts'
import { askWorkFiles } from '../../../runners/sandboxes/runner-calls.ts'
import { fetchedWorkspaceFiles } from '../../../surfaces/http/workspaces/fetched-workspace-files.ts'
import type { WorkspaceFiles } from '../../../surfaces/http/workspaces/workspaces.ts'

export const sandboxFiles = (
  provider: Pick<SandboxProvider, 'findOwn'>,
  agents: ReadonlyMap<string, AgentInfo>,
): WorkspaceFiles =>
  fetchedWorkspaceFiles(async (key, path) => {
    // An agent of the Worker has no container.
    if (agents.get(key.agent)?.runnerKind !== 'bridge') return null
    const sandbox = await provider.findOwn?.(key)
    return sandbox ? askWorkFiles(sandbox, path) : null
  })
