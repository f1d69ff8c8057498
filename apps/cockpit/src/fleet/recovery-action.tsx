// The server's advice for a session as the control that follows it.
import type { SessionRow } from 'bridle/client'
import { Link } from 'wouter'
import { useServer } from '../server/server-context.tsx'
import { announceAct } from '../sessions/acts/pending-acts.ts'
import { BranchButton, PauseButton, ResumeButton } from '../sessions/acts/row-action.tsx'
import { inboxPath, sessionPath } from '../shell/paths.ts'
import { Button } from '../ui/button.tsx'

export const RecoveryAction = ({ row }: { readonly row: SessionRow }) => {
  const { client } = useServer()
  const approvalId = row.approval_request_id
  switch (row.health?.recovery_action) {
    case 'answer_approval':
      return (
        <Link
          className="btn primary"
          href={inboxPath(approvalId === null ? undefined : { id: approvalId, sessionId: row.id, agent: row.agent })}
        >
          Answer the approval
        </Link>
      )
    case 'resume':
      return <ResumeButton row={row} look="primary" />
    case 'pause':
      return <PauseButton row={row} look="primary" />
    case 'branch':
      return <BranchButton row={row} look="primary" />
    case 'cancel':
      return (
        <Button look="no" onClick={() => announceAct(client, 'cancel', [row])}>
          Cancel
        </Button>
      )
    case 'submit':
      return (
        <Link className="btn" href={sessionPath(row)}>
          Ask again
        </Link>
      )
    case 'wait':
      return (
        <Link className="btn" href={sessionPath(row)}>
          It goes on by itself
        </Link>
      )
    default:
      return null
  }
}
