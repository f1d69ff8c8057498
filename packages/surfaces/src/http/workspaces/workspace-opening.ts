// For wires that create sessions implicitly. A session with another workspace than the requested one is refused.
import { isRefusal, type SessionOptions } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import { ownerField } from '../access/users.ts'
import { badRequest, Denial, isDenial } from '../denials/denial.ts'
import { refusalDenial } from '../denials/kernel-denials.ts'
import { type WorkspaceChoice, workspaceSettings } from '../sessions/workspace-choice.ts'
import { isWorkspaceMode, type PreparedWorkspace, prepareWorkspace, type WorkspaceCall } from './session-workspace.ts'

/** Null if the session already exists with this workspace. */
export const workspaceOpening = async (
  call: WorkspaceCall,
  key: Key,
  choice: WorkspaceChoice,
): Promise<{ readonly opening: SessionOptions; readonly prepared: PreparedWorkspace | null } | Denial | null> => {
  const session = await call.ports.host.find(key)
  if (session) return (await hasWorkspace(call, key, choice)) ? null : badRequest(`query: workspace: ${ANOTHER}`)
  const settings = workspaceSettings(choice)
  const prepared = await prepareWorkspace(call, key, settings, { kind: 'chat', place: 'query' })
  if (isDenial(prepared)) return prepared
  const opening = { kind: 'chat', settings: prepared?.settings ?? settings } as const
  return { opening: { ...opening, ...(prepared && { artifacts: prepared.artifacts }) }, prepared }
}

/** Creates the session if needed. Null: it has this workspace. */
export const openWorkspace = async (call: WorkspaceCall, key: Key, choice: WorkspaceChoice): Promise<Denial | null> => {
  const isNew = (await call.ports.host.find(key)) === null
  if (isNew && !isWorkspaceMode(choice.mode)) return null
  if (isNew && !call.access.scopes.includes('operate'))
    return new Denial('forbidden', 'A session with a workspace is made here, which needs the scope "operate".')
  const found = await workspaceOpening(call, key, choice)
  if (found === null || isDenial(found)) return found
  const { opening, prepared } = found
  const answer = await call.ports.host.send(key, { type: 'create', opening, ...(await ownerField(call.access)) })
  if (!isRefusal(answer)) return null
  await prepared?.discard?.()
  // Another connection may have created it at the same time.
  if (answer.refused === 'session_exists' && (await hasWorkspace(call, key, choice))) return null
  return refusalDenial(answer)
}

export const hasWorkspace = async (
  { ports, access }: WorkspaceCall,
  key: Key,
  { mode, source }: WorkspaceChoice,
): Promise<boolean> => {
  const session = await ports.host.find(key)
  const own = session?.state.lifecycle.settings.workspace_mode ?? 'none'
  if (own !== mode) return false
  return !isWorkspaceMode(mode) || ((await ports.workspaces?.has(key, { mode, source, access })) ?? false)
}

export const ANOTHER =
  'The session exists with another workspace, or without one. Leave "workspace" out to go on with it, or name a new session'
