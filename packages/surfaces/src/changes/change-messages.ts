import type { EngineIdentity } from '@bridle/kernel/engine-info'
import type { DirectoryRow } from '@bridle/kernel/ports/directory'
import type { RowChange } from '@bridle/kernel/ports/row-observer'
import type { ApprovalClosure, TenantChange } from '@bridle/wire/changes/wire'
import type { SessionRow } from '@bridle/wire/http/wire'
import { settledStatus } from '../http/denials/kernel-denials.ts'
import { pendingApproval } from '../http/sessions/inbox.ts'
import { sessionRow } from '../http/sessions/session-rows.ts'

/** A shared array, so that targets encode it once for all readers. */
export const READY_MESSAGES: readonly string[] = [JSON.stringify({ type: 'ready' } satisfies TenantChange)]

export const changeMessages = (
  { key, head, incarnation, row }: RowChange,
  known: DirectoryRow | null,
  identity: EngineIdentity,
): readonly TenantChange[] => {
  if (row === null) return [{ type: 'session_removed', session_id: key.id, agent: key.agent }]
  const openIds = new Set(row.approvals.map(({ id }) => id))
  const knownIds = new Set(known?.approvals.map(({ id }) => id))
  // An approval may have opened and closed between the two rows. A reader that loaded its list in that time would keep it.
  const closedIds = new Set([...knownIds, ...newlySettled(row, known).map(({ id }) => id)])
  return [
    { type: 'session', session: sessionRow({ key, head, incarnation, row }, identity) },
    ...row.approvals
      .filter(({ id }) => !knownIds.has(id))
      .map((approval) => ({ type: 'approval', approval: pendingApproval({ key, approval }) }) as const),
    ...[...closedIds].filter((id) => !openIds.has(id)).map((id) => closureOf(key, row, id)),
  ]
}

/** Omits fields that change with every event. Rows with equal text look the same in a list, except for their time. */
export const listingText = ({ key, head, incarnation, row }: RowChange): string => {
  if (row === null) return ''
  const shown: Partial<SessionRow> = {
    ...sessionRow({ key, head, incarnation, row }, { engine: '', runnerKind: 'in_process' }),
    updatedAt: '',
    updated_at: '',
    lastEventId: '',
    last_heartbeat_at: null,
  }
  return JSON.stringify([shown, row.approvals.map(({ id }) => id)])
}

/** Relies on ascending event numbers. */
const newlySettled = ({ settled = [] }: DirectoryRow, known: DirectoryRow | null) => {
  const newest = known?.settled?.at(-1)?.seq ?? 0
  return settled.filter(({ seq }) => seq > newest)
}

/** The row only has the newest settled approvals; of older ones, nothing but the closure is known. */
const closureOf = ({ id: session_id, agent }: RowChange['key'], row: DirectoryRow, id: string): ApprovalClosure => {
  const settled = row.settled?.findLast((approval) => approval.id === id)
  return {
    type: 'approval_closed',
    id,
    session_id,
    agent,
    status: settledStatus(settled?.decision ?? ''),
    decidedBy: settled?.decidedBy ?? null,
    ...(settled?.decidedByClaimed && { decidedByClaimed: true }),
    decidedAt: settled ? new Date(settled.decidedAt).toISOString() : null,
  }
}
