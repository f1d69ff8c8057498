// The page of a session: the strip, the thread with its composer, and the inspector.

import { Link, useSearchParams } from 'wouter'
import { useCan } from '../server/use-can.ts'
import { TopBar } from '../shell/top-bar.tsx'
import { TourGuide } from '../tour/tour-guide.tsx'
import { IconButton } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { titleText } from '../ui/script-text.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { Composer } from './composer/composer.tsx'
import { ApprovalDock } from './dock.tsx'
import { Inspector } from './inspector/inspector.tsx'
import { ConnectionBanner, FidelityBanner } from './session-banners.tsx'
import { SessionProvider, useSession } from './session-context.tsx'
import { SessionTrouble } from './session-trouble.tsx'
import { SheetHandle } from './sheet.tsx'
import { StatusSentence } from './status-sentence.tsx'
import { Strip } from './strip.tsx'
import { Thread } from './thread/thread.tsx'
import { ThreadProvider, useConnection, useHasConversation } from './thread/thread-context.tsx'
import { useActs } from './use-acts.ts'
import './session-page.css'

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
      <ThreadProvider>
        <SessionBody />
      </ThreadProvider>
    </SessionProvider>
  )
}

const SessionBody = () => {
  const { detail } = useSession()
  const { phase } = useConnection()
  const hasConversation = useHasConversation()
  const canOperate = useCan('operate')
  const title = visibleText(titleText(detail))
  return (
    <>
      <TopBar actions={<PageActs />}>
        <Link href="/" className="no-phone">
          Sessions
        </Link>
        <span className="sep no-phone">/</span>
        <h1 className="trunc" title={title}>
          {title}
        </h1>
        <span className="mono t3 small no-phone trunc">{visibleText(detail.id)}</span>
        <span className="tag no-phone">{detail.kind}</span>
        <span className="tag no-phone trunc">{visibleText(detail.agent)}</span>
      </TopBar>
      <StatusSentence />
      <TourGuide />
      <ConnectionBanner />
      <FidelityBanner detail={detail} />
      {hasConversation ? (
        <div className={`session-frame${phase === 'reconnecting' ? ' frozen' : ''}`}>
          <Strip />
          <div className="session">
            <Thread>
              <ApprovalDock />
              {canOperate ? (
                <Composer />
              ) : (
                <p className="composer small t3">
                  You may watch this session. To write to it, a token needs the scope “operate”.
                </p>
              )}
            </Thread>
            <Inspector />
          </div>
          <SheetHandle />
        </div>
      ) : (
        <Skeleton />
      )}
    </>
  )
}

const PageActs = () => {
  const { create } = useActs()
  if (!useCan('operate')) return null
  return <IconButton name="plus" label="New session with this agent" onClick={() => void create()} />
}

export default SessionPage
