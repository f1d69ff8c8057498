// The one thing that helps a session most, by its status.

import type { SessionRow } from 'bridle/client'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useServer } from '../../server/server-context.tsx'
import { CANNOT_OPERATE, useCan } from '../../server/use-can.ts'
import { inboxPath, sessionPath } from '../../shell/paths.ts'
import { Button } from '../../ui/button.tsx'
import { showError } from '../../ui/toast.tsx'
import { branchSession } from './branch-session.ts'

export const RowAction = ({ row }: { readonly row: SessionRow }) => {
  if (row.status === 'awaiting_approval')
    return (
      <Link
        className="btn"
        href={inboxPath(
          row.approval_request_id === null
            ? undefined
            : { id: row.approval_request_id, sessionId: row.id, agent: row.agent },
        )}
      >
        Review
      </Link>
    )
  if (row.status === 'paused') return <ResumeButton row={row} />
  return row.status === 'failed' ? <BranchButton row={row} /> : null
}

interface ActButtonProps {
  readonly row: { readonly id: string; readonly agent: string }
  readonly look?: 'primary' | 'plain'
}

export const ResumeButton = ({ row, look = 'plain' }: ActButtonProps) => {
  const { client } = useServer()
  return (
    <ActButton look={look} icon="play" act={() => client.resume(row.id, { agent: row.agent })}>
      Resume
    </ActButton>
  )
}

export const BranchButton = ({ row, look = 'plain' }: ActButtonProps) => {
  const { client } = useServer()
  const [, navigate] = useLocation()
  return (
    <ActButton
      look={look}
      icon="git-branch"
      act={async () => {
        const branch = await branchSession(client, row)
        navigate(sessionPath(branch))
      }}
    >
      Branch
    </ActButton>
  )
}

export const PauseButton = ({ row, look = 'plain' }: ActButtonProps) => {
  const { client } = useServer()
  return (
    <ActButton look={look} icon="pause" act={() => client.pause(row.id, { agent: row.agent })}>
      Pause
    </ActButton>
  )
}

/** A button that is busy until the server has answered, and shows its refusal. */
const ActButton = ({
  act,
  ...props
}: {
  readonly act: () => Promise<unknown>
  readonly look: 'primary' | 'plain'
  readonly icon: 'play' | 'pause' | 'git-branch'
  readonly children: string
}) => {
  const [isBusy, setBusy] = useState(false)
  const canOperate = useCan('operate')
  const run = async (): Promise<void> => {
    setBusy(true)
    await act().catch(showError)
    setBusy(false)
  }
  return (
    <Button
      {...props}
      isBusy={isBusy}
      isDisabled={!canOperate}
      {...(!canOperate && { title: CANNOT_OPERATE })}
      onClick={() => void run()}
    />
  )
}
