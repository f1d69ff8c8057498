// The guide beside the session of the tour and its branches: what was seen, and the one thing to do next.
import type { ChatSession, CheckpointSummary } from 'bridle/client'
import { useEffect, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useLive, useServer } from '../server/server-context.tsx'
import { useLoaded } from '../server/use-loaded.ts'
import { useSession } from '../session/session-context.tsx'
import { sessionPath } from '../shell/paths.ts'
import { Button } from '../ui/button.tsx'
import { showError } from '../ui/toast.tsx'
import { StopList } from './stop-list.tsx'
import { isTourId, newTourId } from './tour-id.ts'
import { passedStops, type TourStop, tourCheckpoint, tourSessions } from './tour-progress.ts'
import { tourBranchPrompt } from './tour-script.ts'
import './tour.css'

export const TourGuide = () => {
  const { id, agent, detail } = useSession()
  const { client } = useServer()
  const isBranch = detail.branch_source_event_id !== null
  const tree = useLoaded(isBranch ? `${id} ${agent}` : null, () => client.sessionTree(id, agent))
  const root = isBranch ? tree.data?.root : id
  if (agent !== 'scripted' || root === undefined || !isTourId(root)) return null
  return isBranch ? <BranchGuide root={root} /> : <Guide tour={detail} />
}

/** The tour goes on in its first session, and its branches say how far that one is. */
const BranchGuide = ({ root }: { readonly root: string }) => {
  const { agent } = useSession()
  const { client } = useServer()
  const status = useLive(({ sessions }) => sessions.find((row) => row.id === root && row.agent === agent)?.status)
  const { data, reload } = useLoaded(root, () => client.chat(root, agent))
  // The guide stays while the first session goes on, and is as far as that one.
  useEffect(() => {
    if (status !== undefined) reload()
  }, [status, reload])
  return data && <Guide tour={data} />
}

/** The tour whose health was looked at. */
const SEEN_KEY = 'bridle.tour.health'

const Guide = ({ tour }: { readonly tour: ChatSession }) => {
  const { id, agent } = useSession()
  const { client } = useServer()
  const [, navigate] = useLocation()
  const [query, setQuery] = useSearchParams()
  const [isBusy, setBusy] = useState(false)
  const sessions = useLive((state) => state.sessions)
  const isHealthOpen = query.get('tab') === 'health'
  useEffect(() => {
    if (isHealthOpen) sessionStorage.setItem(SEEN_KEY, tour.id)
  }, [isHealthOpen, tour.id])
  const passed = passedStops({
    tour,
    sessions,
    hasSeenHealth: isHealthOpen || sessionStorage.getItem(SEEN_KEY) === tour.id,
  })
  const run = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true)
    await act().catch(showError)
    setBusy(false)
  }
  const branch = (checkpoint: CheckpointSummary) =>
    run(async () => {
      const from =
        checkpoint.resume_cursor === null
          ? { from_event_id: checkpoint.event_id }
          : { resume_cursor: checkpoint.resume_cursor }
      const branched = await client.branch(id, {
        ...from,
        agent,
        session_id: newTourId(),
        title: 'Tour: the other way',
        prompt: tourBranchPrompt,
      })
      navigate(sessionPath({ id: branched.id, agent }))
    })
  const finish = () =>
    run(async () => {
      for (const each of tourSessions(await client.sessionTree(id, agent), id)) await client.remove(agent, each)
      sessionStorage.removeItem(SEEN_KEY)
      navigate('/')
    })
  const isFirst = tour.id === id
  const goesOnThere = !isFirst && !(passed.has('approval') && passed.has('branch'))
  const checkpoint = tourCheckpoint(tour)
  return (
    <section className="tour-guide" aria-label="Tour">
      <StopList passed={passed} />
      <div className="row wrap">
        <p className="grow small t2">
          {goesOnThere
            ? 'This is a branch of the tour’s session. The tour goes on in the first one.'
            : nextSentence(passed, tour.approvals.length > 0)}
        </p>
        {goesOnThere && <Button onClick={() => navigate(sessionPath({ id: tour.id, agent }))}>Back to the tour</Button>}
        {!passed.has('health') && passed.has('approval') && (
          <Button
            onClick={() =>
              setQuery((before) => {
                const next = new URLSearchParams(before)
                next.set('tab', 'health')
                return next
              })
            }
          >
            Show health
          </Button>
        )}
        {isFirst && checkpoint && !passed.has('branch') && passed.has('approval') && (
          <Button icon="git-branch" isBusy={isBusy} onClick={() => void branch(checkpoint)}>
            Branch from the checkpoint
          </Button>
        )}
        <Button look="ghost" isBusy={isBusy} onClick={() => void finish()}>
          End the tour and remove its sessions
        </Button>
      </div>
    </section>
  )
}

const nextSentence = (passed: ReadonlySet<TourStop>, isWaiting: boolean): string => {
  if (isWaiting) return 'The run waits for you: read the change below, then approve, edit or deny it.'
  if (!passed.has('approval')) return 'Watch: text, thinking and tools come as they are written to the log.'
  if (!passed.has('health')) return 'Look at what it cost, and at the budget that guards it.'
  if (!passed.has('branch')) return 'Go back to the checkpoint, and try another way in a session of its own.'
  return 'That was the tour. Its sessions are in the list, as any other.'
}
