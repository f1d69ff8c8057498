import type { SettledApproval } from 'bridle/client'
import { deciderText } from 'bridle/words'
import { Link } from 'wouter'
import { settledLook } from '../approval/question/settled-look.ts'
import { Age } from '../ui/age.tsx'
import { Icon } from '../ui/icon.tsx'
import { titleText } from '../ui/script-text.ts'
import { RowSubject, shortText } from './inbox-row.tsx'
import { settlementOfRow } from './use-decided.ts'

interface DecidedRowProps {
  readonly approval: SettledApproval
  readonly href: string
  readonly isSelected: boolean
  readonly onOpen: () => void
}

export const DecidedRow = ({ approval, href, isSelected, onOpen }: DecidedRowProps) => {
  const { kind, status, title, sessionId, decidedAt, isEdited, imported } = approval
  const look = kind === 'question' ? settledLook(settlementOfRow(approval)) : null
  // A server without names does not know whose answer it was.
  const by = deciderText(approval) ?? (status === 'expired' || look?.word === 'Expired' ? 'nobody' : null)
  return (
    <Link
      className={`ib done${isSelected ? ' on' : ''}`}
      href={href}
      aria-current={isSelected ? 'true' : undefined}
      onClick={onOpen}
    >
      <span className={`st ${look ? look.tone : status === 'approved' ? 'done' : ''}`}>
        <Icon
          name={look?.icon ?? (status === 'approved' ? 'shield-check' : status === 'expired' ? 'hourglass' : 'ban')}
          size={14}
        />
      </span>
      <span className="col grow ib-lines">
        <span className="row">
          <RowSubject approval={approval} />
          <span className="right small t3 nowrap">
            {by !== null && `${shortText(by)}, `}
            <Age at={decidedAt} isAgo />
          </span>
        </span>
        <span className="row small t3">
          <span className="trunc">{shortText(titleText({ title, id: sessionId }))}</span>
          <span className="right nowrap">
            {look ? look.word.toLowerCase() : status}
            {isEdited && ' with edits'}
            {imported && ' in an imported file'}
          </span>
        </span>
      </span>
    </Link>
  )
}
