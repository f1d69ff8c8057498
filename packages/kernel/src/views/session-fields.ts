// Fields shared by `session_state`, session details and list rows, from the folded state or the directory row.
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

/** The fields of `session_state` that rows have, too. */
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

/** Facts of lists and details that the log stores elsewhere. */
export interface ListedFacts extends Pick<DirectoryRow, 'kind' | 'title' | 'createdAt' | 'updatedAt'> {
  readonly lastEventId: string
  readonly retryAt: number | null
  readonly isArchived: boolean
}

/** The fields that rows and details add to `session_state`. Two documents describe the wire, hence both spellings. */
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
