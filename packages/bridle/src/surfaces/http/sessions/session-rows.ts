// A session in a list, made of its row in the directory alone: no log is read.
import type { EngineIdentity } from '../../../kernel/engine-info.ts'
import { eventId } from '../../../kernel/event.ts'
import type { Json } from '../../../kernel/json.ts'
import { type ListedSession, parentIdOf } from '../../../kernel/ports/directory.ts'
import type { HealthSummary, SessionRow, StepSummary, UsageSummary } from '../wire.ts'

export const sessionRow = (session: ListedSession, { engine, runnerKind }: EngineIdentity): SessionRow => {
  const { key, head, row } = session
  const { detail } = row
  const createdAt = new Date(row.createdAt).toISOString()
  const updatedAt = new Date(row.updatedAt).toISOString()
  return {
    id: key.id,
    sessionId: key.id,
    session_id: key.id,
    agent: key.agent,
    kind: row.kind,
    status: row.status,
    title: row.title,
    createdAt,
    updatedAt,
    created_at: createdAt,
    updated_at: updatedAt,
    lastEventId: eventId(head, incarnationOf(session)),
    parent_session_id: parentIdOf(row),
    pendingApprovals: row.approvals.length,
    attempt_count: numberOr0(detail.attempts),
    max_retries: numberOr0(detail.maxRetries),
    expires_at: timeOrNull(detail.expiresAt),
    ended_at: timeOrNull(detail.endedAt),
    last_heartbeat_at: timeOrNull(detail.heartbeatAt),
    branch_source_event_id: textOrNull(detail.branchSourceEventId),
    branch_resume_cursor: textOrNull(detail.branchResumeCursor),
    engine,
    runner_kind: runnerKind,
    approval_request_id: row.approvals[0]?.id ?? null,
    last_error: textOrNull(detail.lastError),
    health: healthOf(detail.health),
    usage: (detail.usage ?? null) as UsageSummary | null,
    step: (detail.step ?? null) as StepSummary | null,
    model: textOrNull(detail.model),
    retry_at: timeOrNull(detail.retryAt),
    messages: numberOr0(detail.messages),
    archived: row.isArchived ?? false,
  }
}

/** The store knows the incarnation of a log that it holds; a list that is made of rows alone knows it from the row. */
const incarnationOf = ({ incarnation = 1, row }: ListedSession): number =>
  Math.max(incarnation, numberOr0(row.detail.incarnation))

/** A row that an earlier version wrote has only the level of the budget pressure. */
const healthOf = (detail: Json | undefined): HealthSummary | null => {
  const health = (detail ?? null) as (Omit<HealthSummary, 'budget_pressure'> & { budget_pressure: unknown }) | null
  const level = health?.budget_pressure
  if (typeof level !== 'string') return health as HealthSummary | null
  return { ...health, budget_pressure: { level, budgets: [], running_since: null } } as HealthSummary
}

const numberOr0 = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)
const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)
const timeOrNull = (at: Json | undefined): string | null => (typeof at === 'number' ? new Date(at).toISOString() : null)
