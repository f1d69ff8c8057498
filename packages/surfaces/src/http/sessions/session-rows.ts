// List rows are built from the directory alone; no log is read.
import type { EngineIdentity } from '@bridle/kernel/engine-info'
import { eventId } from '@bridle/kernel/event'
import { type ListedSession, parentIdOf } from '@bridle/kernel/ports/directory'
import { countsOf } from '@bridle/kernel/views/listed-counts'
import type { RowDetail } from '@bridle/kernel/views/row-detail'
import { listedFields, stateFields } from '@bridle/kernel/views/session-fields'
import type { HealthSummary, SessionRow } from '@bridle/wire/http/wire'

export const sessionRow = (session: ListedSession, { engine, runnerKind }: EngineIdentity): SessionRow => {
  const { key, head, row } = session
  const { updatedAt, approvals, isArchived = false } = row
  const lastEventId = eventId(head, incarnationOf(session))
  const facts = { ...MISSING_FACTS, ...row.detail, status: row.status, updatedAt }
  return {
    ...stateFields({ ...facts, approvalId: approvals[0]?.id ?? null, parentSessionId: parentIdOf(row) }),
    engine,
    runner_kind: runnerKind,
    ...listedFields(key, { ...row, lastEventId, retryAt: facts.retryAt, isArchived }),
    pendingApprovals: approvals.length,
    health: healthOf(row.detail),
    usage: facts.usage,
    step: facts.step,
    model: facts.model,
    ...countsOf(row.detail),
  }
}

/** Missing from rows of older versions. */
const MISSING_FACTS = {
  ...{ attempts: 0, maxRetries: 0, expiresAt: null, endedAt: null, heartbeatAt: null, lastError: null },
  ...{ branchSourceEventId: null, branchResumeCursor: null, retryAt: null, usage: null, step: null, model: null },
}

/** Stores know the incarnation of their own logs; for lists built from rows alone it comes from the row. */
const incarnationOf = ({ incarnation = 1, row }: ListedSession): number =>
  Math.max(incarnation, row.detail.incarnation ?? 1)

/** Rows of earlier versions only have the level of budget pressure. */
const healthOf = ({ health }: RowDetail): HealthSummary | null => {
  const level: unknown = health?.budget_pressure
  if (health === undefined || typeof level !== 'string') return health ?? null
  const budget_pressure = { level, budgets: [], running_since: null } as unknown as HealthSummary['budget_pressure']
  return { ...health, budget_pressure }
}
