// The server's advice for a session as the control that follows it.
import type { SessionRow } from 'bridle/client'
import { recoveryWords } from 'bridle/words'
import { Link } from 'wouter'
import { useServer } from '../server/server-context.tsx'
import { CANNOT_OPERATE, useCan } from '../server/use-can.ts'
import { announceAct } from '../sessions/acts/pending-acts.ts'
import { BranchButton, PauseButton, ResumeButton } from '../sessions/acts/row-action.tsx'
import { inboxPath, sessionPath } from '../shell/paths.ts'
import { Button } from '../ui/button.tsx'

interface RecoveryActionProps {
  readonly row: SessionRow
  readonly look: 'primary' | 'plain'
}

export const RecoveryAction = ({ row, look }: RecoveryActionProps) => {
  const { client } = useServer()
  const canOperate = useCan('operate')
  const approvalId = row.approval_request_id
  switch (row.health?.recovery_action) {
    case 'answer_approval':
      return (
        <Link
          className={look === 'primary' ? 'btn primary' : 'btn'}
          href={inboxPath(approvalId === null ? undefined : { id: approvalId, sessionId: row.id, agent: row.agent })}
        >
          {recoveryWords.answer_approval.name}
        </Link>
      )
    case 'resume':
      return <ResumeButton row={row} look={look} />
    case 'pause':
      return <PauseButton row={row} look={look} />
    case 'branch':
      return <BranchButton row={row} look={look} />
    case 'cancel':
      return (
        <Button
          look="no"
          isDisabled={!canOperate}
          {...(!canOperate && { title: CANNOT_OPERATE })}
          onClick={() => announceAct(client, 'cancel', [row])}
        >
          {recoveryWords.cancel.name}
        </Button>
      )
    case 'submit':
    case 'wait':
      return (
        <Link className="btn" href={sessionPath(row)}>
          {recoveryWords[row.health.recovery_action].name}
        </Link>
      )
    default:
      return null
  }
}
