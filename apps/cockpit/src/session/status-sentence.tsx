// The state of the session in a sentence for screen readers: when it changes, never for each token.

import { statusText } from 'bridle/words'
import { visibleText } from '../ui/plain-text.ts'
import { useConnection, useHarnessValue } from './thread/thread-context.tsx'

export const StatusSentence = () => {
  const { phase } = useConnection()
  const status = useHarnessValue((state) => state.sessionStatus)
  const asked = useHarnessValue((state) => state.approvals?.[0]?.toolName)
  return (
    <div className="vh" role="status" aria-live="polite">
      {phase === 'reconnecting' && 'The connection to the session is lost. The page reconnects by itself. '}
      {asked !== undefined
        ? `The session waits for your answer about ${visibleText(asked)}.`
        : status !== undefined && `The session is ${statusText(status)}.`}
    </div>
  )
}
