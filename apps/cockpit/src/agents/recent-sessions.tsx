import { useMemo } from 'react'
import { Link } from 'wouter'
import { useLive } from '../server/server-context.tsx'
import { rowKey } from '../sessions/list/row-order.ts'
import { SessionStatus } from '../sessions/session-status.tsx'
import { sessionPath } from '../shell/paths.ts'
import { Age } from '../ui/age.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { titleText } from '../ui/script-text.ts'

/** Sessions of an agent on its page: the list has the others. */
const RECENT_SESSIONS = 8

export const RecentSessions = ({ agent }: { readonly agent: string }) => {
  const sessions = useLive((state) => state.sessions)
  const rows = useMemo(() => sessions.filter((row) => row.agent === agent).slice(0, RECENT_SESSIONS), [sessions, agent])
  if (rows.length === 0) return <p className="t3">This agent has no sessions yet.</p>
  return (
    <>
      <ul className="recent">
        {rows.map((row) => (
          <li key={rowKey(row)} className="row">
            <SessionStatus row={row} isIconOnly />
            <Link className="trunc" href={sessionPath(row)}>
              {visibleText(titleText(row))}
            </Link>
            <span className="right t3 small">
              <Age at={row.updatedAt} />
            </span>
          </li>
        ))}
      </ul>
      <Link href={`/?${new URLSearchParams({ agent })}`}>All sessions of this agent</Link>
    </>
  )
}
