import type { PendingApproval, SessionRow } from 'bridle/client'
import { orderedRows } from '../sessions/list/row-order.ts'

type Request = Pick<PendingApproval, 'sessionId' | 'agent' | 'requestedAt'>

/** Sessions as the list has them; those that wait stand as in the inbox, the oldest request first. `approvals` are in the inbox's order. */
export const sideOrder = (rows: readonly SessionRow[], approvals: readonly Request[]): readonly SessionRow[] => {
  // A session may change while it waits, so the time of its last change says nothing about its request.
  const placeOf = ({ id, agent }: SessionRow): number => {
    const at = approvals.findIndex((approval) => approval.sessionId === id && approval.agent === agent)
    return at === -1 ? approvals.length : at
  }
  return orderedRows(rows).toSorted((one, other) => placeOf(one) - placeOf(other))
}
