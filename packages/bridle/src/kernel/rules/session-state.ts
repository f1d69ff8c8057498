// session_state: the status card, appended in the same batch as the change it reports.

import type { Key } from '../event.ts'
import type { Payloads } from '../schemas.ts'
import { isTerminal, type SessionState, statusOf } from '../state.ts'

export const sessionState = (key: Key, state: SessionState): Payloads['session_state'] => {
  const { lifecycle: life, approvals } = state
  const status = statusOf(state)
  const asked = Object.keys(approvals.open)[0]
  return {
    ...life.settings,
    session_id: key.id,
    status,
    agent_profile: key.agent,
    attempt_count: life.attempts,
    max_retries: life.maxRetries,
    expires_at: iso(life.expiresAt),
    updated_at: iso(state.at),
    ...(asked !== undefined && { approval_request_id: asked }),
    ...(life.parentSessionId !== null && { parent_session_id: life.parentSessionId }),
    ...(life.branch && {
      branch_source_event_id: life.branch.sourceEventId,
      branch_resume_cursor: life.branch.resumeCursor,
    }),
    ...(life.lastError !== null && { last_error: life.lastError }),
    ...(isTerminal(state) && { ended_at: iso(life.endedAt) }),
  }
}

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
