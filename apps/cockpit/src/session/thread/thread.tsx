import { useHarness } from 'bridle/react'
import { useSession } from '../session-context.tsx'

export const Thread = () => {
  const { harness } = useSession()
  const { state } = useHarness(harness)
  return (
    <div className="chat">
      {state.messages.map(({ id, content }) => (
        <p key={id}>{content}</p>
      ))}
    </div>
  )
}
