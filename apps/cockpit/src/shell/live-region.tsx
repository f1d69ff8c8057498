// The sentence for screen readers when something waits: never each token, never each event.
import { waitingText } from '../server/live-store.ts'
import { useLive } from '../server/server-context.tsx'

export const LiveRegion = () => {
  const waiting = useLive(waitingText)
  const isQuestion = useLive(({ approvals }) => approvals.every(({ kind }) => kind === 'question'))
  const word = isQuestion ? 'question' : 'approval'
  return (
    <div className="vh" role="status" aria-live="polite">
      {waiting === '' ? '' : waiting === '1' ? `1 ${word} waits for you` : `${waiting} ${word}s wait for you`}
    </div>
  )
}
