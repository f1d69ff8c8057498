// An approval that has its answer: by whom and when, and what happened to the answer of this page.
import { settlementText } from 'bridle/words'
import { type ReactNode, useEffect, useRef } from 'react'
import { Age } from '../ui/age.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { exactText } from '../ui/exact-text.ts'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon-names.ts'
import type { CardApproval, CardSettlement } from './card-approval.ts'

interface SettledCardProps {
  readonly approval: CardApproval
  readonly settlement: CardSettlement
  /** The answer of this page was not taken. */
  readonly isLate?: boolean
  /** Arguments that somebody wrote here and that were not used. */
  readonly lostText?: string | null
  readonly onDismiss?: () => void
  /** The arguments. */
  readonly children?: ReactNode
}

const icons: { readonly [decision in CardSettlement['decision']]: IconName } = {
  approved: 'shield-check',
  denied: 'ban',
  expired: 'hourglass',
  cancelled: 'ban',
  superseded: 'ban',
  closed: 'circle-check',
}

export const SettledCard = ({ approval, settlement, isLate, lostText, onDismiss, children }: SettledCardProps) => {
  const { decision, by, at, reason, isEdited } = settlement
  const card = useRef<HTMLElement>(null)
  // The buttons that had the focus are gone: the keyboard goes on from here, not from the top of the page.
  useEffect(() => {
    if (document.activeElement === document.body) card.current?.focus({ preventScroll: true })
  }, [])
  return (
    <article ref={card} className="appr settled" aria-label={`Decided: ${exactText(approval.toolName)}`} tabIndex={-1}>
      <div className="h" role="status">
        <Icon name={icons[decision]} size={14} />
        <b>{exactText(settlementText(decision, by, isEdited))}</b>
        <code className="t2 trunc grow">{exactText(approval.toolName)}</code>
        {at && (
          <span className="small t3 nowrap">
            <Age at={at} isAgo />
          </span>
        )}
        {lostText != null && <CopyButton text={lostText} label="Copy my edits" />}
        {onDismiss && (
          <Button look="ghost" onClick={onDismiss}>
            Dismiss
          </Button>
        )}
      </div>
      {(isLate || lostText != null || reason || children) && (
        <div className="b">
          {reason && <p className="small">“{exactText(reason)}”</p>}
          {isLate && <p className="small t2">Your answer was not taken: an approval is answered once.</p>}
          {lostText != null && <p className="small t2">Your edits were not used.</p>}
          {children}
        </div>
      )}
    </article>
  )
}
