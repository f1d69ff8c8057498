// Banners say what a reader of the page must know before anything else: it is not current, or its engine tells less than others.
import type { ChatSession } from 'bridle/client'
import { useState } from 'react'
import { useLive } from '../server/server-context.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { useNow } from '../ui/use-now.ts'
import { useConnection } from './thread/thread-context.tsx'
import { untoldText } from './untold.ts'

export const ConnectionBanner = () => {
  const { phase, nextTryAt, error } = useConnection()
  // The frame says it where the whole server is gone.
  const isServerThere = useLive((state) => state.phase === 'open')
  if (phase === 'closed')
    return (
      <div className="banner bad" role="alert">
        <Icon name="unplug" />
        <b>This session is closed here.</b>
        <span className="t2">{visibleText(error?.message ?? 'The page shows it as it was.')}</span>
      </div>
    )
  if (phase !== 'reconnecting' || !isServerThere) return null
  return (
    <div className="banner bad" role="alert">
      <Icon name="unplug" />
      <b>Reconnecting.</b>
      <span className="t2">
        You see the session as it was. It goes on without this page.{' '}
        {nextTryAt !== undefined && <NextTry at={nextTryAt} />}
      </span>
    </div>
  )
}

const NextTry = ({ at }: { readonly at: number }) => {
  const seconds = Math.max(0, Math.ceil((at - useNow()) / 1_000))
  return seconds === 0 ? 'Trying now.' : `Next try in ${seconds} s.`
}

const KEY = 'bridle.fidelity-read'

/** Said once for each engine: the inspector has the table. */
export const FidelityBanner = ({ detail }: { readonly detail: ChatSession }) => {
  const { capabilities } = detail
  const [isRead, setRead] = useState(() => (localStorage.getItem(KEY) ?? '').split(' ').includes(detail.engine))
  const untold = capabilities ? untoldText(capabilities) : null
  if (!capabilities || untold === null || isRead) return null
  const dismiss = (): void => {
    localStorage.setItem(KEY, `${localStorage.getItem(KEY) ?? ''} ${detail.engine}`.trim())
    setRead(true)
  }
  return (
    <div className="banner note">
      <Icon name="waypoints" />
      <b>Reduced detail</b>
      <span className="t2">
        {visibleText(capabilities.name)} is driven through a bridge. {untold}
      </span>
      <span className="right">
        <Button look="ghost" icon="x" onClick={dismiss}>
          Got it
        </Button>
      </span>
    </div>
  )
}
