import type { SessionRow } from 'bridle/client'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { useLive } from '../server/server-context.tsx'
import { SessionStatus } from '../sessions/session-status.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { titleText } from '../ui/script-text.ts'
import { sideOrder } from './side-order.ts'

/** Sessions of one list in the side bar: more would push the rest of the bar away, and the page of sessions has all. */
const SIDE_SESSIONS = 6

interface SideSessionsProps {
  readonly title: string
  readonly statuses: readonly string[]
  readonly hrefOf: (session: SessionRow) => string
}

export const SideSessions = ({ title, statuses, hrefOf }: SideSessionsProps) => {
  const sessions = useLive((state) => state.sessions)
  const approvals = useLive((state) => state.approvals)
  const shown = useMemo(
    () =>
      sideOrder(
        sessions.filter(({ status }) => statuses.includes(status)),
        approvals,
      ).slice(0, SIDE_SESSIONS),
    [sessions, approvals, statuses],
  )
  if (shown.length === 0) return null
  return (
    <div>
      <h2>{title}</h2>
      <div className="nav sess">
        {shown.map((session) => (
          <Link key={`${session.agent}/${session.id}`} href={hrefOf(session)}>
            <SessionStatus row={session} isIconOnly />
            <span className="trunc">{visibleText(titleText(session))}</span>
          </Link>
        ))}
      </div>
    </div>
  )
}
