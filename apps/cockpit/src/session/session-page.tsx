// The page of a session: the strip, the thread with its composer, and the inspector.
import { Link, useSearchParams } from 'wouter'
import { TopBar } from '../shell/top-bar.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { Inspector } from './inspector/inspector.tsx'
import { SessionProvider, useSession } from './session-context.tsx'
import { SessionTrouble } from './session-trouble.tsx'
import { Strip } from './strip.tsx'
import { Thread } from './thread/thread.tsx'

const SessionPage = ({ id }: { readonly id: string }) => {
  const [query] = useSearchParams()
  const agent = query.get('agent') ?? undefined
  return (
    <SessionProvider
      id={id}
      agent={agent}
      fallback={({ error }) => (error ? <SessionTrouble id={id} error={error} /> : <Skeleton />)}
    >
      <SessionBody />
    </SessionProvider>
  )
}

const SessionBody = () => {
  const { detail } = useSession()
  return (
    <>
      <TopBar>
        <Link href="/">Sessions</Link>
        <span className="sep">/</span>
        <h1 className="trunc">{visibleText(detail.title || detail.id)}</h1>
        <span className="mono t3 small no-phone">{detail.id}</span>
        <span className="tag">{detail.kind}</span>
        <span className="tag">{detail.agent}</span>
      </TopBar>
      <Strip />
      <div className="session">
        <Thread />
        <Inspector />
      </div>
    </>
  )
}

export default SessionPage
