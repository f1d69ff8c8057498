// Isolated workspaces, where the target has them: prepared before the session is made, and recorded with it.
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
  /** The session was not made after all. */
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
  const made = await ports.workspaces.prepare(key, { source, access, ...(parent && { parent }) })
  if ('taken' in made) return refusalDenial({ refused: 'session_exists', message: 'The session exists already.' })
  if ('problem' in made) return badRequest(`body: workspace: ${made.problem}`)
  return {
    settings: {
      ...settings,
      workspace_id: made.id,
      workspace_path: made.path,
      // The folder that it really came from, by whatever name the caller knew it.
      ...(made.source !== null && { workspace_source: made.source }),
      task_graph_id: taskGraphId(key.id),
    },
    artifacts: [
      taskGraph({ sessionId: key.id, workspaceId: made.id, goal }, 'pending'),
      artifact('workspace.json', 'workspace', {
        workspace_id: made.id,
        kind: made.kind,
        path: made.path,
        source: made.source,
        ...(made.branch !== null && { branch: made.branch }),
        ...(made.commit !== null && { commit: made.commit }),
      }),
    ],
    discard: made.discard,
  }
}

const artifact = (name: string, kind: string, value: JsonObject): PreparedArtifact => ({
  name,
  kind,
  contentType: 'application/json',
  text: JSON.stringify(value),
})
