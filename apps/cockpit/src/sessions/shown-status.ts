import type { PendingApproval, SessionRow } from 'bridle/client'

/** A session that waits for answers alone. The server has one status for everything that waits for a person. */
export const AWAITING_ANSWER = 'awaiting_answer'

type Listed = Pick<PendingApproval, 'sessionId' | 'agent' | 'kind'>

/** The status as lists show it. */
export const shownStatus = (
  { id, agent, status }: Pick<SessionRow, 'id' | 'agent' | 'status'>,
  approvals: readonly Listed[],
): string => {
  if (status !== 'awaiting_approval') return status
  const own = approvals.filter((each) => each.sessionId === id && each.agent === agent)
  return own.length > 0 && own.every(({ kind }) => kind === 'question') ? AWAITING_ANSWER : status
}
