import {
  ActionBarPrimitive,
  AuiIf,
  ComposerPrimitive,
  type DataMessagePartProps,
  MessagePrimitive,
  type ReasoningMessagePartProps,
  useAuiState,
} from '@assistant-ui/react'
import { RichText } from './rich-text.tsx'
import { ToolCard } from './tool-card.tsx'

export const Question = () => {
  const custom = useAuiState((s) => s.message.metadata.custom)
  const note = custom.status === 'pending' ? 'waits its turn' : custom.stopReason === 'cancelled' ? 'taken back' : null
  return (
    <MessagePrimitive.Root className="question">
      <div className="bubble">
        <MessagePrimitive.Parts />
      </div>
      {note && <small className="note">{note}</small>}
      <ActionBarPrimitive.Root className="actions" hideWhenRunning>
        <ActionBarPrimitive.Edit>Edit</ActionBarPrimitive.Edit>
      </ActionBarPrimitive.Root>
    </MessagePrimitive.Root>
  )
}

export const EditQuestion = () => (
  <ComposerPrimitive.Root className="edit">
    <ComposerPrimitive.Input aria-label="Edited prompt" />
    <div className="buttons">
      <ComposerPrimitive.Cancel className="button">Keep</ComposerPrimitive.Cancel>
      <ComposerPrimitive.Send className="button primary">Ask again</ComposerPrimitive.Send>
    </div>
  </ComposerPrimitive.Root>
)

export const Answer = () => {
  const status = useAuiState((s) => s.message.status)
  // assistant-ui expects an answer to every question at once; one that waits behind another run gets none yet.
  const isPlaceholder = useAuiState((s) => s.message.metadata.isOptimistic === true)
  const isElsewhere = useAuiState((s) =>
    s.thread.messages.some(
      (each) =>
        each.role === 'assistant' &&
        each.status.type !== 'complete' &&
        each.status.type !== 'incomplete' &&
        !each.metadata.isOptimistic,
    ),
  )
  if (isPlaceholder && isElsewhere) return null
  return (
    <MessagePrimitive.Root className="answer" data-status={status?.type}>
      <MessagePrimitive.Parts components={parts} />
      {status?.type === 'incomplete' && (
        <p className="ending" data-reason={status.reason}>
          {status.reason === 'error'
            ? String(status.error ?? 'The run failed.')
            : (endings[status.reason] ?? 'Cut short.')}
        </p>
      )}
      <AuiIf condition={(s) => s.message.isLast}>
        <ActionBarPrimitive.Root className="actions" hideWhenRunning>
          <ActionBarPrimitive.Reload>Retry</ActionBarPrimitive.Reload>
          <ActionBarPrimitive.Copy>Copy</ActionBarPrimitive.Copy>
        </ActionBarPrimitive.Root>
      </AuiIf>
    </MessagePrimitive.Root>
  )
}

const endings: Record<string, string> = { cancelled: 'Stopped.', length: 'Cut for length.' }

const Thought = ({ text, status }: ReasoningMessagePartProps) => (
  <details className="thought" open={status.type === 'running'}>
    <summary>Thinking</summary>
    <p>{text}</p>
  </details>
)

const Mark = ({ name, data }: DataMessagePartProps<{ kind?: string; text?: string; name?: string }>) => (
  <p className="mark">
    {name === 'artifact' ? `Published ${data.name}` : `${data.kind?.replaceAll('_', ' ')} ${data.text ?? ''}`}
  </p>
)

const Waiting = ({ status }: { status: { type: string } }) =>
  status.type === 'running' ? <span className="dots" role="img" aria-label="Working" /> : null

const parts = {
  Text: RichText,
  Reasoning: Thought,
  Empty: Waiting,
  tools: { Override: ToolCard },
  data: { Fallback: Mark },
}
