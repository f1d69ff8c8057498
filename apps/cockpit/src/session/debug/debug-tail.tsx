import { exactCountText, plural } from 'bridle/words'
import { useAction } from '../../actions/use-action.ts'
import { useServer } from '../../server/server-context.tsx'
import { Button } from '../../ui/button.tsx'
import { showError } from '../../ui/toast.tsx'
import { usePast } from '../past/past-context.ts'
import { useSession } from '../session-context.tsx'
import { downloadLog } from './download-log.ts'
import type { LoadedLog } from './log/use-log-rows.ts'

interface DebugTailProps {
  readonly loaded: LoadedLog
  readonly shown: number
  readonly isSearching: boolean
  readonly isFollowing: boolean
  readonly onFollow: (isFollowing: boolean) => void
}

/** How many rows there are, whether news is shown, and the log as a file. */
export const DebugTail = ({ loaded, shown, isSearching, isFollowing, onFollow }: DebugTailProps) => {
  const { client } = useServer()
  const { id, agent } = useSession()
  const { log, progress } = loaded
  const follow = (): void => onFollow(!isFollowing)
  const download = (): Promise<void> => downloadLog(client, id, agent).catch(showError)
  useAction('debug.follow', follow)
  // A session that comes from a file is that file.
  const { isReplay } = usePast()
  useAction('debug.download', isReplay ? null : download)
  return (
    <span className="right row small t3 debug-tail">
      <span className="num nowrap" role="status" aria-live="off">
        {plural(log.count, 'event')}, {exactCountText(shown)} shown, tokens merged
        {progress === 'loading' && ', loading'}
        {progress === 'cut' && ', older ones are not loaded'}
        {progress !== 'loading' && isSearching && ', searching'}
      </span>
      <button type="button" className="debug-follow row" role="switch" aria-checked={isFollowing} onClick={follow}>
        <span className={`switch${isFollowing ? ' on' : ''}`} />
        Follow
      </button>
      {!isReplay && (
        <Button look="ghost" icon="download" onClick={() => void download()}>
          JSON lines
        </Button>
      )}
    </span>
  )
}
