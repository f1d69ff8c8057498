// The replay of an export: a session of a file on the whole page of a session, without any call to a server.
import { useEffect, useSyncExternalStore } from 'react'
import { useSearchParams } from 'wouter'
import { TopBar } from '../shell/top-bar.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { FilePicker } from './file-picker.tsx'
import { findSession } from './lineage.ts'
import { replayFile, subscribeReplayFile } from './replay-file.ts'
import { ReplaySession } from './replay-session.tsx'
import './replay.css'

const ReplayPage = () => {
  const file = useSyncExternalStore(subscribeReplayFile, replayFile)
  const [query] = useSearchParams()
  useEffect(() => void loadViews(), [])
  if (file.type === 'open') {
    const { content } = file
    const wanted = { id: query.get('session') ?? '', agent: query.get('agent') ?? '' }
    const chosen = findSession(content, wanted) ?? content.sessions.findLast(({ session }) => !session.parent)
    if (chosen) return <ReplaySession key={chosen.line} content={content} chosen={chosen} name={file.name} />
  }
  return (
    <>
      <TopBar>
        <h1>Replay</h1>
      </TopBar>
      {file.type === 'reading' ? <Skeleton /> : <FilePicker problem={file.type === 'wrong' ? file : null} />}
    </>
  )
}

/** The code of a view comes from the server, which may be gone when somebody opens it. */
const loadViews = (): Promise<unknown> => import('../session/timeline/timeline-page.tsx').catch(() => null)

export default ReplayPage
