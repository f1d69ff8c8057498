import { useRef } from 'react'
import { keyHintOf } from '../actions/action-table.ts'
import { useAction } from '../actions/use-action.ts'
import { Button } from '../ui/button.tsx'
import type { ApprovalWords } from './approval-words.ts'
import { whenInSight } from './in-sight.ts'

interface CardActionsProps {
  readonly words: ApprovalWords
  readonly toolName: string
  readonly isLarge: boolean
  /** A card that just appeared takes no answer yet. */
  readonly isArmed: boolean
  /** The end of every argument has been on the screen. Approving waits for that, denying does not. */
  readonly isRead: boolean
  readonly sending: 'approved' | 'denied' | null
  /** The reason why no answer can be given now; null = it can. */
  readonly frozenWhy: string | null
  /** The reason why it cannot be approved, while it can be denied. */
  readonly unapprovableWhy: string | null
  readonly isEditing: boolean
  readonly isEdited: boolean
  /** Shows the first argument whose end has not been on the screen. */
  readonly onShowUnread: () => void
  readonly onApprove: () => void
  readonly onApproveAndPause: () => void
  readonly onDeny: () => void
  readonly onEdit: () => void
  readonly onDiscard: () => void
  /** The keys answer this card wherever nobody types. */
  readonly takesKeys: boolean
}

export const CardActions = (props: CardActionsProps) => {
  const { words, isLarge, isArmed, isRead, sending, frozenWhy, unapprovableWhy, isEditing, isEdited } = props
  const approveTitle = frozenWhy ?? unapprovableWhy ?? (isRead ? null : UNREAD)
  const isOff = frozenWhy !== null || sending !== null
  const detail = { detail: props.toolName }
  const acts = useRef<HTMLFieldSetElement>(null)
  const keyed = { ...detail, isPageWide: props.takesKeys && !isEditing }
  const inSight = (act: () => void) => (props.takesKeys ? whenInSight(acts, act) : act)
  const canAnswer = isArmed && !isOff
  const isWhole = canAnswer && unapprovableWhy === null
  const canApprove = isWhole && isRead
  const canEdit = isWhole && words.canEdit && !isEditing
  // Before all of it was read, the key shows the rest.
  useAction('approval.approve', isWhole ? (isRead ? inSight(props.onApprove) : props.onShowUnread) : null, keyed)
  useAction('approval.edit', canEdit ? inSight(props.onEdit) : null, keyed)
  useAction('approval.deny', canAnswer ? inSight(props.onDeny) : null, keyed)
  useAction('approval.discard', canAnswer && isEditing ? props.onDiscard : null, detail)
  useAction('approval.pause', canApprove && words.canPause ? props.onApproveAndPause : null, detail)
  return (
    <fieldset ref={acts} className="acts" disabled={!isArmed} aria-label="Your answer">
      <Button
        look="primary"
        icon="check"
        keyHint={isEditing ? 'Ctrl+Enter' : keyHintOf('approval.approve')}
        isLarge={isLarge}
        isBusy={sending === 'approved'}
        isDisabled={isOff || unapprovableWhy !== null || !isRead}
        {...(approveTitle !== null && { title: approveTitle })}
        onClick={props.onApprove}
      >
        {isEdited ? 'Approve with edits' : words.approve}
      </Button>
      {words.canEdit &&
        (isEditing ? (
          <Button
            look="ghost"
            keyHint={keyHintOf('approval.discard')}
            isLarge={isLarge}
            isDisabled={isOff}
            onClick={props.onDiscard}
          >
            Discard edits
          </Button>
        ) : (
          <Button
            icon="pencil"
            keyHint={keyHintOf('approval.edit')}
            isLarge={isLarge}
            isDisabled={isOff || unapprovableWhy !== null}
            onClick={props.onEdit}
          >
            Edit
          </Button>
        ))}
      <Button
        look="no"
        icon="x"
        {...(!isEditing && { keyHint: keyHintOf('approval.deny') })}
        isLarge={isLarge}
        isBusy={sending === 'denied'}
        isDisabled={isOff}
        {...(frozenWhy !== null && { title: frozenWhy })}
        onClick={props.onDeny}
      >
        {words.deny}
      </Button>
      {words.canPause && (
        <Button
          look="ghost"
          isLarge={isLarge}
          isDisabled={isOff || unapprovableWhy !== null || !isRead}
          title="The call runs, and the session pauses before its next step."
          onClick={props.onApproveAndPause}
        >
          {isEdited ? 'Approve with edits and pause' : 'Approve and pause'}
        </Button>
      )}
      {isArmed && !isRead && frozenWhy === null && unapprovableWhy === null && (
        <span className="small t2 unread" role="status">
          {UNREAD}
        </span>
      )}
    </fieldset>
  )
}

const UNREAD = 'Scroll to the end to approve'
