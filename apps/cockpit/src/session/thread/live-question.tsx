import { MessagePrimitive, useAuiState } from '@assistant-ui/react'
import { isQueued } from '../composer/queued-prompts.ts'
import { messageOf } from './live-answer.tsx'
import { Question } from './question.tsx'
import { useHarnessValue } from './thread-context.tsx'

/** A prompt in the window of assistant-ui. One that waits stands above the composer instead. */
export const LiveQuestion = () => {
  const id = useAuiState((s) => s.message.id)
  const message = useHarnessValue((state) => {
    const found = messageOf(state, id)
    return found && !isQueued(found, state) ? found : undefined
  })
  if (!message) return null
  return (
    <MessagePrimitive.Root>
      <Question message={message} />
    </MessagePrimitive.Root>
  )
}
