// The card of the selected approval. It stays when the approval is decided elsewhere, and says so: another one never takes its place unasked.
import type { PendingApproval, SettledApproval } from 'bridle/client'
import { questionSettlementText, settlementText } from 'bridle/words'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { ApprovalCard } from '../approval/approval-card.tsx'
import type { CardSettlement } from '../approval/card-approval.ts'
import { askedText } from '../approval/question/question-words.ts'
import { withoutApproval } from '../server/live-store.ts'
import { useServer } from '../server/server-context.tsx'
import { sessionPath } from '../shell/paths.ts'
import { exactText } from '../ui/exact-text.ts'
import { Screen } from '../ui/screen.tsx'
import { showToast } from '../ui/toast.tsx'
import { isSelected, type Selection } from './inbox-filter.ts'
import { settlementOfRow } from './use-decided.ts'

/** Characters of a question in the note that it is answered. */
const TOAST_CHARS = 80

interface InboxCardProps {
  readonly selection: Selection
  readonly approvals: readonly PendingApproval[]
  readonly decided: readonly SettledApproval[]
  /** The approval whose card takes the focus. */
  readonly focused: PendingApproval | null
  /** Shows the next approval, unless somebody has gone to another one already. */
  readonly onGoOn: (settled: Parameters<typeof isSelected>[0]) => void
}

export const InboxCard = ({ selection, approvals, decided, focused, onGoOn }: InboxCardProps) => {
  const { live } = useServer()
  const listed = approvals.find((approval) => isSelected(approval, selection))
  const [last, setLast] = useState(listed)
  useEffect(() => {
    if (listed) setLast(listed)
  }, [listed])
  const settled = listed ? undefined : decided.find((row) => isSelected(row, selection))
  // A row of the decided ones has the arguments as approved.
  const approval = listed ?? settled ?? (last && isSelected(last, selection) ? last : undefined)
  if (!approval)
    return (
      <Screen icon="inbox" title="This approval no longer waits">
        <p>
          It was decided, it expired, or its run ended.{' '}
          {selection.sessionId !== null && (
            <Link
              href={sessionPath({
                id: selection.sessionId,
                ...(selection.agent !== null && { agent: selection.agent }),
              })}
            >
              Open its session
            </Link>
          )}
        </p>
      </Screen>
    )
  const { id, sessionId, agent, title, toolName, kind } = approval
  const onDecided = ({ decision, by, isEdited }: CardSettlement): void => {
    const text =
      kind === 'question'
        ? `${questionSettlementText(decision, by)}: ${exactText(askedText(approval).slice(0, TOAST_CHARS))}`
        : `${settlementText(decision, by, isEdited)}: ${exactText(toolName)}`
    showToast({ text })
    // The list need not wait for the server to say what this page has just done.
    live.update((state) => withoutApproval(state, { id, sessionId, agent }))
    onGoOn(approval)
  }
  return (
    <ApprovalCard
      approval={{ ...approval, ...(!listed && { settlement: settled ? settlementOfRow(settled) : unknownSettlement }) }}
      session={{ id: sessionId, agent, title }}
      place="inbox"
      isFocused={focused !== null && isSelected(focused, selection)}
      onDecided={onDecided}
      onDismiss={() => onGoOn(approval)}
    />
  )
}

const unknownSettlement: CardSettlement = { decision: 'closed', by: null, at: null }
