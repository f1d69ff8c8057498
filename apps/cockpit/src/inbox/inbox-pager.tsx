// On a phone: one approval at a time, the ones before and after it, and the list.
import type { PendingApproval } from 'bridle/client'
import { approvalBrief } from '../approval/approval-words.ts'
import { IconButton } from '../ui/button.tsx'
import { isSelected, type Selection } from './inbox-filter.ts'

interface InboxPagerProps {
  readonly shown: readonly PendingApproval[]
  readonly selection: Selection | null
  readonly isListOpen: boolean
  readonly onToggleList: () => void
  readonly onMove: (step: 1 | -1) => void
}

export const InboxPager = ({ shown, selection, isListOpen, onToggleList, onMove }: InboxPagerProps) => {
  const at = shown.findIndex((approval) => isSelected(approval, selection))
  const current = shown[at]
  if (shown.length === 0) return null
  return (
    <div className="pager only-phone">
      <span className="medium num">{at === -1 ? `${shown.length} waiting` : `${at + 1} of ${shown.length}`}</span>
      <code className="t3 small trunc grow">{current && approvalBrief(current)}</code>
      <span className="row">
        <IconButton name="chevron-left" label="Previous approval" onClick={() => onMove(-1)} />
        <IconButton name="chevron-right" label="Next approval" onClick={() => onMove(1)} />
        <IconButton name="list" label="List" isPressed={isListOpen} onClick={onToggleList} />
      </span>
    </div>
  )
}
