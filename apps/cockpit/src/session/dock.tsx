// On a phone the question that waits stays in reach, also where its card is out of sight.
import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { showApproval } from './thread/show-approval.ts'
import { useHarnessValue } from './thread/thread-context.tsx'

export const ApprovalDock = () => {
  const first = useHarnessValue((state) => state.approvals?.[0])
  const isShown = useIsShown(first?.id)
  if (!first || isShown) return null
  return (
    <div className="dock only-phone">
      <span className="grow trunc">
        Allow <code>{visibleText(first.toolName)}</code>?
      </span>
      <Button look="primary" onClick={() => showApproval(first.id)}>
        Review
      </Button>
    </div>
  )
}

/** True while the card of the approval is on the screen. */
const useIsShown = (approvalId: string | undefined): boolean => {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    setShown(false)
    const card = approvalId === undefined ? null : document.getElementById(`approval-${approvalId}`)
    if (!card) return
    const observer = new IntersectionObserver(([entry]) => setShown(entry?.isIntersecting ?? false))
    observer.observe(card)
    return () => observer.disconnect()
  }, [approvalId])
  return isShown
}
