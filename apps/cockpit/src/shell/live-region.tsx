// The sentence for screen readers when something waits: never each token, never each event.
import { waitingText } from '../server/live-store.ts'
import { useLive } from '../server/server-context.tsx'

export const LiveRegion = () => {
  const waiting = useLive(waitingText)
  return (
    <div className="vh" role="status" aria-live="polite">
      {waiting === '' ? '' : waiting === '1' ? '1 approval waits for you' : `${waiting} approvals wait for you`}
    </div>
  )
}
