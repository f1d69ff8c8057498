// An action as a row of the side bar, and of the sheet that a phone has in its place.
import { runAction } from '../actions/action-store.ts'
import { type ActionId, actionRow, keyHintOf } from '../actions/action-table.ts'
import { Icon } from '../ui/icon.tsx'
import { KeyCaps } from '../ui/kbd.tsx'

interface ActionRowProps {
  readonly id: ActionId
  readonly words?: string
  readonly onRun?: () => void
}

export const ActionRow = ({ id, words = actionRow(id).words, onRun }: ActionRowProps) => {
  const run = (): void => {
    onRun?.()
    runAction(id)
  }
  return (
    <button type="button" className="nav-button" aria-keyshortcuts={keyHintOf(id)} onClick={run}>
      <Icon name={actionRow(id).icon} />
      <span>{words}</span>
      <span className="right no-phone">
        <KeyCaps keys={keyHintOf(id)} />
      </span>
    </button>
  )
}
