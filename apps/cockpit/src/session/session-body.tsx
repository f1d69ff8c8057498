// The content of a session's page: the strip, the thread with its composer, and the inspector; or one of its other pages.

import { type ReactNode, Suspense } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useCan, useCanBranch } from '../server/use-can.ts'
import { TopBar } from '../shell/top-bar.tsx'
import { TourGuide } from '../tour/tour-guide.tsx'
import { IconButton } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { titleText } from '../ui/script-text.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { Composer } from './composer/composer.tsx'
import { DebugButton } from './debug/debug-button.tsx'
import { ApprovalDock } from './dock.tsx'
import { Inspector } from './inspector/inspector.tsx'
import { Scrubber } from './past/bar/scrubber.tsx'
import { LiveIsAt, PastBanner } from './past/past-banner.tsx'
import { PastComposer } from './past/past-composer.tsx'
import { SessionActions } from './session-actions.tsx'
import { ConnectionBanner, FidelityBanner } from './session-banners.tsx'
import { useSession } from './session-context.tsx'
import { SheetHandle } from './sheet.tsx'
import { StatusSentence } from './status-sentence.tsx'
import { Strip } from './strip.tsx'
import { Thread } from './thread/thread.tsx'
import { useConnection, useHasConversation } from './thread/thread-context.tsx'
import { useActs } from './use-acts.ts'
import { sessionViews } from './views/views.ts'
import './session-page.css'

/** `place` says where a session that is not of the server comes from. */
export const SessionBody = ({ place }: { readonly place?: ReactNode }) => {
  const { detail, past } = useSession()
  const title = visibleText(titleText(detail))
  return (
    <>
      <TopBar actions={<PageActs />} {...(past && { pill: <LiveIsAt /> })}>
        <Link href={place ? '/replay' : '/'} className="no-phone">
          {place ? 'Replay' : 'Sessions'}
        </Link>
        <span className="sep no-phone">/</span>
        <h1 className="trunc" title={title}>
          {title}
        </h1>
        <span className="mono t3 small no-phone trunc">{visibleText(detail.id)}</span>
        <span className="tag no-phone">{detail.kind}</span>
        <span className="tag no-phone trunc">{visibleText(detail.agent)}</span>
      </TopBar>
      {place}
      <StatusSentence />
      <SessionActions />
      {!past && <TourGuide />}
      <ConnectionBanner />
      <FidelityBanner detail={detail} />
      <PastBanner />
      <SessionContent />
    </>
  )
}

/** The thread, or the page that `?view=` names. */
const SessionContent = () => {
  const [query] = useSearchParams()
  const { phase } = useConnection()
  const hasConversation = useHasConversation()
  const canOperate = useCan('operate')
  const canBranch = useCanBranch()
  const { past } = useSession()
  const view = sessionViews.find(({ id }) => id === query.get('view'))
  if (!hasConversation) return <Skeleton />
  const frozen = phase === 'reconnecting' ? ' frozen' : ''
  if (view)
    return (
      <div className={`session-frame${frozen}`}>
        <Suspense fallback={<Skeleton />}>
          <view.Page />
        </Suspense>
        <Scrubber />
      </div>
    )
  return (
    <div className={`session-frame${frozen}`}>
      <Strip />
      <div className="session">
        <Thread>
          {!past && <ApprovalDock />}
          {past ? (
            canBranch && <PastComposer />
          ) : canOperate ? (
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
      <Scrubber />
    </div>
  )
}

const PageActs = () => {
  const { create } = useActs()
  const canOperate = useCan('operate')
  return (
    <>
      <DebugButton />
      {canOperate && <IconButton name="plus" label="New session with this agent" onClick={() => void create()} />}
    </>
  )
}
