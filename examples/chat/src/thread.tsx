import { AuiIf, ThreadPrimitive, useAui } from '@assistant-ui/react'
import { agentName } from './client.tsx'
import { Answer, EditQuestion, Question } from './message.tsx'

export const Thread = ({ onEarlier }: { onEarlier: (() => void) | null }) => (
  <ThreadPrimitive.Root className="thread">
    <ThreadPrimitive.Viewport className="viewport">
      <div className="column">
        <AuiIf condition={(s) => s.thread.isEmpty}>
          <Welcome />
        </AuiIf>
        {onEarlier && (
          <button type="button" className="earlier" onClick={onEarlier}>
            Earlier messages
          </button>
        )}
        <ThreadPrimitive.Messages components={messages} />
      </div>
    </ThreadPrimitive.Viewport>
    <ThreadPrimitive.ScrollToBottom className="down" aria-label="To the latest">
      ↓
    </ThreadPrimitive.ScrollToBottom>
  </ThreadPrimitive.Root>
)

// Outside the component: a new object would render every message anew.
const messages = { UserMessage: Question, AssistantMessage: Answer, UserEditComposer: EditQuestion }

const Welcome = () => {
  const aui = useAui()
  return (
    <section className="welcome">
      <h2>{heading}</h2>
      <p>Everything said here is in the session’s log before you see it.</p>
      <div>
        {suggestions.map((prompt) => (
          <button key={prompt} type="button" onClick={() => aui.thread.append(prompt)}>
            {prompt}
          </button>
        ))}
      </div>
    </section>
  )
}

const welcomes = new Map([
  [
    'notes',
    { heading: 'What should be remembered?', suggestions: ['What do you know?', 'Remember: tea on Thursday at four'] },
  ],
])

// An agent that `?agent=` names may be any: nothing is known of it but the name.
const { heading, suggestions } = welcomes.get(agentName) ?? { heading: `Talk to ${agentName}`, suggestions: ['Hello'] }
