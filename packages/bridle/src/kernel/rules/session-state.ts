// session_state: the status card, appended in the same batch as the change it reports.
import { cursorText } from '../cursor.ts'
import { eventId, type Key } from '../event.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Payloads } from '../schemas.ts'
import { isTerminal, type SessionState, statusOf } from '../state.ts'
import { APPROVAL_MODE, PERMISSION_MODE, POLICY_PATH } from './turn-runtime.ts'

export const sessionState = (key: Key, state: SessionState): Payloads['session_state'] => {
  const { lifecycle: life, approvals, health } = state
  const status = statusOf(state)
  const asked = Object.keys(approvals.open)[0]
  return {
    provider: null,
    model: null,
    permission_mode: PERMISSION_MODE,
    approval_mode: APPROVAL_MODE,
    think_level: null,
    policy_path: POLICY_PATH,
    sandbox_mode: life.sandbox?.mode ?? null,
    sandbox_isolation: life.sandbox?.isolation ?? null,
    ...engineOf(key.agent),
    ...life.settings,
    session_id: key.id,
    status,
    agent_profile: key.agent,
    process_id: processOf(life.run?.handle),
    attempt_count: life.attempts,
    max_retries: life.maxRetries,
    expires_at: iso(life.expiresAt),
    last_heartbeat_at: iso(health.activeAt || null),
    updated_at: iso(state.at),
    ...(asked !== undefined && { approval_request_id: asked }),
    ...(life.parentSessionId !== null && { parent_session_id: life.parentSessionId }),
    ...(life.branch && {
      branch_source_event_id: life.branch.sourceEventId,
      branch_resume_cursor: life.branch.resumeCursor,
    }),
    ...(life.lastError !== null && { last_error: life.lastError }),
    ...(isTerminal(state) && { ended_at: iso(life.endedAt) }),
    resume_context: resumeContext(key, state),
  }
}

const BRIDGES = ['claude', 'codex']

/** An agent that is no engine of its own is written in TypeScript, and runs natively. */
export const engineOf = (agent: string): { readonly engine: string; readonly runner_kind: string } => {
  if (BRIDGES.includes(agent)) return { engine: agent, runner_kind: 'bridge' }
  return { engine: agent === 'scripted' ? agent : 'native', runner_kind: 'in_process' }
}

/** The sandbox that has the run is the process one could look for. */
const processOf = (handle: Json | undefined): string | null => {
  const sandbox = (handle as JsonObject | null | undefined)?.sandbox
  return typeof sandbox === 'string' ? sandbox : null
}

/** Where one would go on from. */
const resumeContext = (key: Key, { resumePoints }: SessionState): JsonObject | null => {
  const last = resumePoints.at(-1)
  return last
    ? { kind: last.kind, event_id: eventId(last.seq), resume_cursor: cursorText(last.kind, key.id, last.seq) }
    : null
}

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
