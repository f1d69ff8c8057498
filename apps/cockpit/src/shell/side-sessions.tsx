import type { SessionRow } from 'bridle/client'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { useLive } from '../server/server-context.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { titleText } from '../ui/script-text.ts'
import { Status } from '../ui/status.tsx'

/** More would push the rest of the bar away; the list has all. */
const SHOWN_MAX = 6

interface SideSessionsProps {
  readonly title: string
  readonly statuses: readonly string[]
  readonly hrefOf: (session: SessionRow) => string
}

export const SideSessions = ({ title, statuses, hrefOf }: SideSessionsProps) => {
  const sessions = useLive((state) => state.sessions)
  const shown = useMemo(
    () => sessions.filter(({ status }) => statuses.includes(status)).slice(0, SHOWN_MAX),
    [sessions, statuses],
  )
  if (shown.length === 0) return null
  return (
    <div>
      <h2>{title}</h2>
      <div className="nav sess">
        {shown.map((session) => (
          <Link key={`${session.agent}/${session.id}`} href={hrefOf(session)}>
            <Status status={session.status} isIconOnly />
            <span className="trunc">{visibleText(titleText(session))}</span>
          </Link>
        ))}
      </div>
    </div>
  )
}
