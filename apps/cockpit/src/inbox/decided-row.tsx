import type { SettledApproval } from 'bridle/client'
import { deciderText } from 'bridle/words'
import { Link } from 'wouter'
import { Age } from '../ui/age.tsx'
import { argumentSummary } from '../ui/arguments/argument-parts.ts'
import { Icon } from '../ui/icon.tsx'
import { titleText } from '../ui/script-text.ts'
import { shortText } from './inbox-row.tsx'

interface DecidedRowProps {
  readonly approval: SettledApproval
  readonly href: string
  readonly isSelected: boolean
  readonly onOpen: () => void
}

export const DecidedRow = ({ approval, href, isSelected, onOpen }: DecidedRowProps) => {
  const { status, toolName, args, title, sessionId, decidedAt, isEdited, imported } = approval
  // A server without names does not know whose answer it was.
  const by = deciderText(approval) ?? (status === 'expired' ? 'nobody' : null)
  return (
    <Link
      className={`ib done${isSelected ? ' on' : ''}`}
      href={href}
      aria-current={isSelected ? 'true' : undefined}
      onClick={onOpen}
    >
      <span className={`st${status === 'approved' ? ' done' : ''}`}>
        <Icon name={status === 'approved' ? 'shield-check' : status === 'expired' ? 'hourglass' : 'ban'} size={14} />
      </span>
      <span className="col grow ib-lines">
        <span className="row">
          <code className="medium trunc ib-tool">{shortText(toolName)}</code>
          <span className="trunc mono t2 ib-args">{shortText(argumentSummary(args))}</span>
          <span className="right small t3 nowrap">
            {by !== null && `${shortText(by)}, `}
            <Age at={decidedAt} isAgo />
          </span>
        </span>
        <span className="row small t3">
          <span className="trunc">{shortText(titleText({ title, id: sessionId }))}</span>
          <span className="right nowrap">
            {status}
            {isEdited && ' with edits'}
            {imported && ' in an imported file'}
          </span>
        </span>
      </span>
    </Link>
  )
}
