import type { SessionRow } from 'bridle/client'
import { useLive } from '../server/server-context.tsx'
import { Status } from '../ui/status.tsx'
import { shownStatus } from './shown-status.ts'

interface SessionStatusProps {
  readonly row: Pick<SessionRow, 'id' | 'agent' | 'status'>
  readonly isIconOnly?: boolean
}

/** The status of a session, which tells a question from an approval. */
export const SessionStatus = ({ row, isIconOnly = false }: SessionStatusProps) => (
  <Status status={useLive(({ approvals }) => shownStatus(row, approvals))} isIconOnly={isIconOnly} />
)
