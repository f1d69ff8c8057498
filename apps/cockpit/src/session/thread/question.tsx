// A prompt: its words, its files, and what can be done with it.

import type { HarnessMessage } from 'bridle/client'
import { memo, useState } from 'react'
import { useAction } from '../../actions/use-action.ts'
import { useCan } from '../../server/use-can.ts'
import { IconButton } from '../../ui/button.tsx'
import { minuteText, momentText } from '../../ui/clock.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useActs } from '../use-acts.ts'
import { EditPrompt } from './edit-prompt.tsx'
import { PromptFiles } from './prompt-files.tsx'
import { PromptText } from './prompt-text.tsx'
import { useHarnessValue } from './thread-context.tsx'

export const Question = memo(({ message }: { readonly message: HarnessMessage }) => {
  const { branch, edit } = useActs()
  const canOperate = useCan('operate')
  const [isEdited, setEdited] = useState(false)
  const { id, content, createdAt, status, stopReason } = message
  const isLast = useHarnessValue((state) => state.messages.findLast(({ role }) => role === 'user')?.id === id)
  useAction('message.edit', isLast && canOperate && !isEdited ? () => setEdited(true) : null)
  const note = status === 'pending' ? 'waits for its turn' : stopReason === 'cancelled' ? 'taken back' : null
  return (
    <article className="msg user" aria-label="Prompt" data-message={id}>
      <div className="who">
        {createdAt !== undefined && (
          <time className="num" dateTime={new Date(createdAt).toISOString()} title={momentText(createdAt)}>
            {minuteText(createdAt)}
          </time>
        )}
        {note && <span>{note}</span>}
        <span className="right msg-acts">
          {canOperate && (
            <>
              <IconButton name="pencil" label="Edit this prompt" onClick={() => setEdited(true)} />
              <IconButton
                name="git-branch"
                label="Branch before this prompt"
                onClick={() => void branch({ messageId: id })}
              />
            </>
          )}
          <CopyButton text={content} />
        </span>
      </div>
      {isEdited ? (
        <EditPrompt
          text={content}
          onKeep={() => setEdited(false)}
          onSend={async (prompt) => {
            if (await edit(id, prompt)) setEdited(false)
          }}
        />
      ) : (
        <PromptText text={content} />
      )}
      <PromptFiles input={message.input} />
    </article>
  )
})
