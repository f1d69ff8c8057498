// Permissions and sandbox of a turn, logged at its start for every engine.

import type { Payloads } from '@bridle/events/schemas'
import type { SessionState } from '../projections/state.ts'

/** The precedence of settings that determine the mode of a turn. */
export const POLICY_PATH = 'execution_mode -> approval_policy -> runtime_callbacks'
export const PERMISSION_MODE = 'normal'
export const APPROVAL_MODE = 'on_request'

export const turnRuntimeDecision = ({ lifecycle: { kind, settings } }: SessionState): Payloads['policy_decision'] => ({
  subject: 'turn_runtime',
  outcome: 'configured',
  reason: `Resolved runtime execution mode for this ${kind} turn.`,
  source: kind === 'chat' ? 'serve_chat_runtime' : 'background_runtime',
  policy_path: text(settings.policy_path) ?? POLICY_PATH,
  permission_mode: text(settings.permission_mode) ?? PERMISSION_MODE,
  approval_mode: text(settings.approval_mode) ?? APPROVAL_MODE,
})

export const hasWorkspace = ({ lifecycle: { settings } }: SessionState): boolean =>
  text(settings.workspace_id) !== undefined

export const defaultSandboxNotice = ({ lifecycle: { kind, settings } }: SessionState): Payloads['sandbox_notice'] => {
  const requested_backend = kind === 'chat' ? 'chat_turn' : 'background_session'
  return text(settings.workspace_id)
    ? {
        requested_backend,
        resolved_backend: 'task_workspace',
        isolation: 'workspace',
        reason: workspaceReason(kind, settings.workspace_mode),
      }
    : {
        requested_backend,
        resolved_backend: 'in_process',
        isolation: 'none',
        reason: "The agent runs in the server's own process.",
      }
}

const workspaceReason = (kind: string, mode: unknown): string => {
  if (mode === 'in_place') return 'The agent works in the folder of its user, without a copy.'
  return kind === 'chat'
    ? 'Prepared a workspace for this conversation.'
    : 'Prepared a task workspace for write-capable background work.'
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
