import { keyHintOf } from '../actions/action-table.ts'
import { useAction } from '../actions/use-action.ts'
import { Button } from '../ui/button.tsx'
import type { ApprovalWords } from './approval-words.ts'

interface CardActionsProps {
  readonly words: ApprovalWords
  readonly toolName: string
  readonly isLarge: boolean
  /** A card that just appeared takes no answer yet. */
  readonly isArmed: boolean
  readonly sending: 'approved' | 'denied' | null
  /** The reason why no answer can be given now; null = it can. */
  readonly frozenWhy: string | null
  /** The reason why it cannot be approved, while it can be denied. */
  readonly unapprovableWhy: string | null
  readonly isEditing: boolean
  readonly isEdited: boolean
  readonly onApprove: () => void
  readonly onApproveAndPause: () => void
  readonly onDeny: () => void
  readonly onEdit: () => void
  readonly onDiscard: () => void
}

export const CardActions = (props: CardActionsProps) => {
  const { words, isLarge, isArmed, sending, frozenWhy, unapprovableWhy, isEditing, isEdited } = props
  const approveTitle = frozenWhy ?? unapprovableWhy
  const isOff = frozenWhy !== null || sending !== null
  const detail = { detail: props.toolName }
  const canAnswer = isArmed && !isOff
  const canApprove = canAnswer && unapprovableWhy === null
  const canEdit = canApprove && words.canEdit && !isEditing
  useAction('approval.approve', canApprove ? props.onApprove : null, detail)
  useAction('approval.edit', canEdit ? props.onEdit : null, detail)
  useAction('approval.deny', canAnswer ? props.onDeny : null, detail)
  useAction('approval.discard', canAnswer && isEditing ? props.onDiscard : null, detail)
  useAction('approval.pause', canApprove && words.canPause ? props.onApproveAndPause : null, detail)
  return (
    <fieldset className="acts" disabled={!isArmed} aria-label="Your answer">
      <Button
        look="primary"
        icon="check"
        keyHint={isEditing ? 'Ctrl+Enter' : keyHintOf('approval.approve')}
        isLarge={isLarge}
        isBusy={sending === 'approved'}
        isDisabled={isOff || unapprovableWhy !== null}
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
          isDisabled={isOff || unapprovableWhy !== null}
          title="The call runs, and the session pauses before its next step."
          onClick={props.onApproveAndPause}
        >
          {isEdited ? 'Approve with edits and pause' : 'Approve and pause'}
        </Button>
      )}
    </fieldset>
  )
}
