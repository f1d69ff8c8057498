// The sentence for screen readers when something waits: never each token, never each event.
import { useLive } from '../server/server-context.tsx'
import { plural } from '../ui/numbers.ts'

export const LiveRegion = () => {
  const waiting = useLive((state) => state.approvals.length)
  return (
    <div className="vh" role="status" aria-live="polite">
      {waiting === 0 ? '' : `${plural(waiting, 'approval')} ${waiting === 1 ? 'waits' : 'wait'} for you`}
    </div>
  )
}
