// On a phone the question that waits stays in reach, also where its card is out of sight.
import { useEffect, useState } from 'react'
import { approvalBrief } from '../approval/approval-words.ts'
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
        {first.kind === 'question' ? (
          approvalBrief(first)
        ) : first.kind === 'budget' ? (
          'A budget is used up. Raise it?'
        ) : (
          <>
            Allow <code>{visibleText(first.toolName)}</code>?
          </>
        )}
      </span>
      <Button look="primary" onClick={() => showApproval(first.id)}>
        {first.kind === 'question' ? 'Answer' : 'Review'}
      </Button>
    </div>
  )
}

/** True while the card of the approval is on the screen. */
const useIsShown = (approvalId: string | undefined): boolean => {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    setShown(false)
    if (approvalId === undefined) return
    let card: HTMLElement | null = null
    const watch = (): void => {
      if (card?.isConnected) return
      card = document.getElementById(`approval-${approvalId}`)
      if (!card) return
      arrivals.disconnect()
      visibility.observe(card)
    }
    const visibility = new IntersectionObserver(([entry]) => {
      setShown(entry?.isIntersecting ?? false)
      if (!card?.isConnected) look()
    })
    // The thread renders a card later than the question is known, and may render it anew.
    const arrivals = new MutationObserver(watch)
    const look = (): void => {
      arrivals.observe(document.body, { childList: true, subtree: true })
      watch()
    }
    look()
    return () => {
      arrivals.disconnect()
      visibility.disconnect()
    }
  }, [approvalId])
  return isShown
}
