// The composer of the past: a prompt from here becomes a branch.
import { type KeyboardEvent, useSyncExternalStore } from 'react'
import { keyHintOf } from '../../actions/action-table.ts'
import { useAction } from '../../actions/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import { keepDraft, readDraft, subscribeDrafts } from '../composer/drafts.ts'
import { WaitingPrompts } from '../composer/waiting-prompts.tsx'
import { useSession } from '../session-context.tsx'
import { useBranchHere } from './use-branch-here.ts'

export const PastComposer = () => {
  const session = useSession()
  const text = useSyncExternalStore(subscribeDrafts, () => readDraft(session))
  const { isBusy, branch } = useBranchHere()
  const isPhone = useIsPhone()
  const isEmpty = text.trim() === ''
  const send = async (): Promise<void> => {
    if (!isEmpty && (await branch(text))) keepDraft(session, '')
  }
  useAction('past.send', isEmpty ? null : send)
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (!event.repeat) void send()
  }
  return (
    <div className="composer">
      <WaitingPrompts held={[]} />
      <div className="box">
        <textarea
          className="in"
          aria-label="Message for a branch"
          rows={Math.min(8, Math.max(1, text.split('\n').length))}
          placeholder={`${isPhone ? 'Ask from here: a branch' : 'Ask something else from here: it becomes a branch'} at event ${session.past?.seq ?? ''}`}
          value={text}
          onChange={(event) => keepDraft(session, event.target.value)}
          onKeyDown={onKey}
        />
        <div className="bar-b">
          <span className="small t3 untouched">The session itself is not touched.</span>
          <span className="right">
            <Button
              icon="git-branch"
              keyHint={keyHintOf('past.send')}
              isBusy={isBusy}
              isDisabled={isEmpty}
              onClick={() => void send()}
            >
              Branch and send
            </Button>
          </span>
        </div>
      </div>
    </div>
  )
}
