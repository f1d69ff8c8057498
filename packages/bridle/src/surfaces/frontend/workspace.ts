// Isolated workspaces, on targets that have them: prepared before the session is created, and recorded with it.
import type { PreparedArtifact } from '../../kernel/commands.ts'
import type { Key } from '../../kernel/event.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { taskGraph, taskGraphId } from '../../kernel/rules/runs/task-graph.ts'
import { badRequest, type Denial } from '../http/router/denial.ts'
import { refusalDenial } from '../http/router/kernel-denials.ts'
import type { RouteCall } from '../http/router/route.ts'

export interface PreparedWorkspace {
  readonly settings: JsonObject
  readonly artifacts: readonly PreparedArtifact[]
  /** Removes the workspace when the session was not created after all. */
  readonly discard?: () => Promise<void>
}

/** Null when the settings ask for none. */
export const prepareWorkspace = async (
  { ports, access }: Pick<RouteCall<unknown, unknown>, 'ports' | 'access'>,
  key: Key,
  settings: JsonObject,
  { goal = '', parent }: { readonly goal?: string; readonly parent?: Key } = {},
): Promise<PreparedWorkspace | Denial | null> => {
  if (settings.workspace_mode !== 'write') return null
  if (!ports.workspaces) return badRequest('body: workspace: This server prepares no workspaces')
  const source = typeof settings.workspace_source === 'string' ? settings.workspace_source : null
  const workspace = await ports.workspaces.prepare(key, { source, access, ...(parent && { parent }) })
  if ('taken' in workspace) return refusalDenial({ refused: 'session_exists', message: 'The session exists already.' })
  if ('problem' in workspace) return badRequest(`body: workspace: ${workspace.problem}`)
  return {
    settings: {
      ...settings,
      workspace_id: workspace.id,
      workspace_path: workspace.path,
      // The real folder: the caller may have named it by a link.
      ...(workspace.source !== null && { workspace_source: workspace.source }),
      task_graph_id: taskGraphId(key.id),
    },
    artifacts: [
      taskGraph({ sessionId: key.id, workspaceId: workspace.id, goal }, 'pending'),
      artifact('workspace.json', 'workspace', {
        workspace_id: workspace.id,
        kind: workspace.kind,
        path: workspace.path,
        source: workspace.source,
        ...(workspace.branch !== null && { branch: workspace.branch }),
        ...(workspace.commit !== null && { commit: workspace.commit }),
      }),
    ],
    discard: workspace.discard,
  }
}

const artifact = (name: string, kind: string, value: JsonObject): PreparedArtifact => ({
  name,
  kind,
  contentType: 'application/json',
  text: JSON.stringify(value),
})
