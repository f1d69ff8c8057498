// The page of a session of the server.

import { useSearchParams } from 'wouter'
import { Skeleton } from '../ui/skeleton.tsx'
import { ReplayHost } from './branches/replay/replay-host.tsx'
import { LivePast } from './past/live-past.tsx'
import { SessionBody } from './session-body.tsx'
import { SessionProvider } from './session-context.tsx'
import { SessionTrouble } from './session-trouble.tsx'
import { ThreadProvider } from './thread/thread-context.tsx'

const SessionPage = ({ id }: { readonly id: string }) => {
  const [query] = useSearchParams()
  const agent = query.get('agent') ?? undefined
  return (
    <SessionProvider
      id={id}
      agent={agent}
      fallback={({ error, reload }) =>
        error ? <SessionTrouble id={id} error={error} onRetry={reload} /> : <Skeleton />
      }
    >
      <LivePast>
        <ThreadProvider>
          <SessionBody />
        </ThreadProvider>
      </LivePast>
      {/* Outside of the past: the server asks the prompts that the session has now, whichever event the page shows. */}
      <ReplayHost />
    </SessionProvider>
  )
}

export default SessionPage
