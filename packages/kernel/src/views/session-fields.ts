// Fields of a session that several documents show: `session_state`, the detail, and the rows of lists. Each takes them from here,
// from the folded state or from the directory's row.
import type { Key } from '../event.ts'
import type { DirectoryRow } from '../ports/directory.ts'
import { isTerminal, type SessionState, statusOf } from '../projections/state.ts'
import type { KeptFacts } from './row-detail.ts'

export const keptFacts = (state: SessionState): KeptFacts => {
  const { attempts, maxRetries, expiresAt, endedAt, lastError, parentSessionId, branch } = state.lifecycle
  return {
    ...{ status: statusOf(state), attempts, maxRetries, expiresAt, lastError, parentSessionId },
    endedAt: isTerminal(state) ? endedAt : null,
    branchSourceEventId: branch?.sourceEventId ?? null,
    branchResumeCursor: branch?.resumeCursor ?? null,
  }
}

interface StateFacts extends KeptFacts {
  readonly updatedAt: number
  readonly heartbeatAt: number | null
  readonly approvalId: string | null
}

/** The fields of `session_state` that a row has too. */
export const stateFields = (facts: StateFacts) => ({
  status: facts.status,
  approval_request_id: facts.approvalId,
  attempt_count: facts.attempts,
  max_retries: facts.maxRetries,
  expires_at: isoOrNull(facts.expiresAt),
  parent_session_id: facts.parentSessionId,
  branch_source_event_id: facts.branchSourceEventId,
  branch_resume_cursor: facts.branchResumeCursor,
  last_heartbeat_at: isoOrNull(facts.heartbeatAt),
  last_error: facts.lastError,
  updated_at: isoOrNull(facts.updatedAt),
  ended_at: isoOrNull(facts.endedAt),
})

/** Facts that lists and details show and the log has elsewhere. */
export interface ListedFacts extends Pick<DirectoryRow, 'kind' | 'title' | 'createdAt' | 'updatedAt'> {
  readonly lastEventId: string
  readonly retryAt: number | null
  readonly isArchived: boolean
}

/** The fields that a row and a detail share beyond `session_state`, in both spellings: two documents describe the wire. */
export const listedFields = ({ id, agent }: Key, facts: ListedFacts) => {
  const [createdAt, updatedAt] = [iso(facts.createdAt), iso(facts.updatedAt)]
  return {
    id,
    sessionId: id,
    session_id: id,
    agent,
    kind: facts.kind,
    title: facts.title,
    createdAt,
    updatedAt,
    created_at: createdAt,
    updated_at: updatedAt,
    lastEventId: facts.lastEventId,
    retry_at: isoOrNull(facts.retryAt),
    archived: facts.isArchived,
  }
}

export const iso = (at: number): string => new Date(at).toISOString()

export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at))
