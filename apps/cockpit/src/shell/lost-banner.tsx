// Says that the page may be old, and for how long, while the server does not answer.

import { agoText } from 'bridle/words'
import { isRefusal } from '../server/follow-changes.ts'
import { useLive } from '../server/server-context.tsx'
import { Icon } from '../ui/icon.tsx'
import { useNow } from '../ui/use-now.ts'

export const LostBanner = () => {
  const phase = useLive((state) => state.phase)
  const error = useLive((state) => state.error)
  const heardAt = useLive((state) => state.heardAt)
  const now = useNow()
  if (phase !== 'reconnecting' || isRefusal(error)) return null
  return (
    <div className="banner bad" role="alert">
      <Icon name="unplug" />
      <b>The server does not answer.</b>
      <span className="t2">
        {heardAt === 0 ? 'Nothing was loaded yet.' : `The page shows what was there ${agoText(now - heardAt)}.`} It
        tries again by itself.
      </span>
    </div>
  )
}
