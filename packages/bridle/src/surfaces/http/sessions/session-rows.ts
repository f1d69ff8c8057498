// A session in a list, made of its row in the directory alone: no log is read.
import type { EngineIdentity } from '../../../kernel/engine-info.ts'
import { eventId } from '../../../kernel/event.ts'
import { type ListedSession, parentIdOf } from '../../../kernel/ports/directory.ts'
import type { RowDetail } from '../../../kernel/views/row-detail.ts'
import { listedFields, stateFields } from '../../../kernel/views/session-fields.ts'
import type { HealthSummary, SessionRow } from '../wire.ts'

export const sessionRow = (session: ListedSession, { engine, runnerKind }: EngineIdentity): SessionRow => {
  const { key, head, row } = session
  const { detail } = row
  const state = {
    status: row.status,
    attempts: detail.attempts ?? 0,
    maxRetries: detail.maxRetries ?? 0,
    expiresAt: detail.expiresAt ?? null,
    endedAt: detail.endedAt ?? null,
    updatedAt: row.updatedAt,
    heartbeatAt: detail.heartbeatAt ?? null,
    lastError: detail.lastError ?? null,
    approvalId: row.approvals[0]?.id ?? null,
    parentSessionId: parentIdOf(row),
    branchSourceEventId: detail.branchSourceEventId ?? null,
    branchResumeCursor: detail.branchResumeCursor ?? null,
  }
  return {
    ...stateFields(state),
    engine,
    runner_kind: runnerKind,
    ...listedFields(key, {
      ...row,
      lastEventId: eventId(head, incarnationOf(session)),
      retryAt: detail.retryAt ?? null,
      isArchived: row.isArchived ?? false,
    }),
    pendingApprovals: row.approvals.length,
    health: healthOf(detail),
    usage: detail.usage ?? null,
    step: detail.step ?? null,
    model: detail.model ?? null,
    messages: detail.messages ?? 0,
  }
}

/** The store knows the incarnation of a log that it holds; a list that is made of rows alone knows it from the row. */
const incarnationOf = ({ incarnation = 1, row }: ListedSession): number =>
  Math.max(incarnation, row.detail.incarnation ?? 1)

/** A row that an earlier version wrote has only the level of the budget pressure. */
const healthOf = ({ health }: RowDetail): HealthSummary | null => {
  const level: unknown = health?.budget_pressure
  if (health === undefined || typeof level !== 'string') return health ?? null
  const budget_pressure = { level, budgets: [], running_since: null } as unknown as HealthSummary['budget_pressure']
  return { ...health, budget_pressure }
}
