import type { SessionRow } from 'bridle/client'
import { Link } from 'wouter'
import { approvalBrief } from '../../approval/approval-words.ts'
import { useLive } from '../../server/server-context.tsx'
import { sessionPath } from '../../shell/paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { titleText } from '../../ui/script-text.ts'
import { useNow } from '../../ui/use-now.ts'
import { actWords, type SessionAct } from '../acts/session-acts.ts'
import { failureText, originText, retryText } from './row-words.ts'

interface SessionTitleProps {
  readonly row: SessionRow
  /** An act that is announced for this session. */
  readonly act: SessionAct | undefined
}

/** The title with its link, the mark of a branch, and what is special about the session now. */
export const SessionTitle = ({ row, act }: SessionTitleProps) => {
  const waiting = useLive(({ approvals }) =>
    approvals.find(({ sessionId, agent }) => sessionId === row.id && agent === row.agent),
  )
  const origin = originText(row)
  const failure = visibleText(failureText(row))
  return (
    <span className="row list-title">
      {origin !== '' && <Icon name="corner-down-right" size={14} />}
      <Link className="trunc medium" href={sessionPath(row)} data-row-link="">
        {visibleText(titleText(row))}
      </Link>
      {act && <span className="tag">{actWords[act].pending}</span>}
      {row.archived && <span className="tag">archived</span>}
      {row.status === 'awaiting_approval' && waiting && (
        <span className="t3 small trunc note">{approvalBrief(waiting)}</span>
      )}
      {failure !== '' && (
        <span className="danger small trunc note" title={failure}>
          {failure}
        </span>
      )}
      {row.retry_at && <Retry row={row} />}
      {origin !== '' && <span className="t3 small trunc note">{visibleText(origin)}</span>}
    </span>
  )
}

const Retry = ({ row }: { readonly row: SessionRow }) => (
  <span className="t3 small nowrap">{retryText(row, useNow())}</span>
)
