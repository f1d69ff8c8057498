// A workspace is prepared before its session is created, and recorded with it.

import type { JsonObject } from '@bridle/events/json'
import type { PreparedArtifact, Refusal, SessionOptions } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import { taskGraph, taskGraphId } from '@bridle/kernel/rules/runs/task-graph'
import { badRequest, type Denial } from '../denials/denial.ts'
import { refusalDenial } from '../denials/kernel-denials.ts'
import type { RouteCall } from '../router/route.ts'
import type { WorkspaceMode } from './workspaces.ts'

export interface PreparedWorkspace {
  readonly settings: JsonObject
  readonly artifacts: readonly PreparedArtifact[]
  /** Removes the workspace if the session was not created after all. */
  readonly discard?: () => Promise<void>
}

export type WorkspaceCall = Pick<RouteCall<unknown, unknown>, 'ports' | 'access'>

export interface WorkspacePreparation {
  readonly kind: NonNullable<SessionOptions['kind']>
  readonly goal?: string
  readonly parent?: Key
  /** Where the request asks for the workspace, for refusals. */
  readonly place?: 'body' | 'query'
}

export const prepareWorkspace = async (
  { ports, access }: WorkspaceCall,
  key: Key,
  settings: JsonObject,
  { kind, goal = '', parent, place = 'body' }: WorkspacePreparation,
): Promise<PreparedWorkspace | Denial | null> => {
  const { workspace_mode: mode } = settings
  if (!isWorkspaceMode(mode)) return null
  if (!ports.workspaces) return badRequest(`${place}: workspace: ${NO_WORKSPACES}`)
  const agentProblem = ports.agents.get(key.agent)?.workspaceProblem ?? null
  if (agentProblem !== null) return badRequest(`${place}: workspace: ${agentProblem}`)
  const source = typeof settings.workspace_source === 'string' ? settings.workspace_source : null
  const workspace = await ports.workspaces.prepare(key, { mode, source, access, ...(parent && { parent }) })
  if ('taken' in workspace) return refusalDenial({ refused: 'session_exists', message: 'The session exists already.' })
  if ('problem' in workspace) return badRequest(`${place}: workspace: ${workspace.problem}`)
  const hasGraph = kind === 'background'
  return {
    settings: {
      ...settings,
      workspace_id: workspace.id,
      workspace_path: workspace.path,
      workspace_kind: workspace.kind,
      workspace_branch: workspace.branch,
      // The caller may have named the folder by a link.
      ...(workspace.source !== null && { workspace_source: workspace.source }),
      // A task graph describes one piece of work; a conversation is never done.
      ...(hasGraph && { task_graph_id: taskGraphId(key.id) }),
    },
    artifacts: [
      ...(hasGraph ? [taskGraph({ sessionId: key.id, workspaceId: workspace.id, goal }, 'pending')] : []),
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

/** The session was not created, so its prepared workspace is discarded. */
export const discardAndDeny = async (
  prepared: PreparedWorkspace | null | undefined,
  refusal: Refusal,
  sessionId?: string,
): Promise<Denial> => {
  await prepared?.discard?.()
  return refusalDenial(refusal, sessionId)
}

const NO_WORKSPACES =
  'This server prepares no workspaces: it has no disk for them. Leave "workspace" out, or use a server on Node.'

/** With `none` and `read`, nothing is prepared. */
export const isWorkspaceMode = (mode: unknown): mode is WorkspaceMode => mode === 'write' || mode === 'in_place'

const artifact = (name: string, kind: string, value: JsonObject): PreparedArtifact => ({
  name,
  kind,
  contentType: 'application/json',
  text: JSON.stringify(value),
})
