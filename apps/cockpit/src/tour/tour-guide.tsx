// The guide beside a session of the tour: what was seen, and the one thing to do next.
import type { CheckpointSummary } from 'bridle/client'
import { useEffect, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { randomText } from '../server/random-text.ts'
import { useLive, useServer } from '../server/server-context.tsx'
import { useSession } from '../session/session-context.tsx'
import { sessionPath } from '../shell/paths.ts'
import { Button } from '../ui/button.tsx'
import { showError } from '../ui/toast.tsx'
import { StopList } from './stop-list.tsx'
import { passedStops, tourFamily } from './tour-progress.ts'
import { TOUR_PREFIX, tourBranchPrompt } from './tour-script.ts'
import './tour.css'

export const TourGuide = () => {
  const { id } = useSession()
  return id.startsWith(TOUR_PREFIX) ? <Guide /> : null
}

const SEEN_KEY = 'bridle.tour.health'

const Guide = () => {
  const { id, agent, detail } = useSession()
  const { client } = useServer()
  const [, navigate] = useLocation()
  const [query, setQuery] = useSearchParams()
  const [isBusy, setBusy] = useState(false)
  const sessions = useLive((state) => state.sessions)
  const isHealthOpen = query.get('tab') === 'health'
  useEffect(() => {
    if (isHealthOpen) sessionStorage.setItem(SEEN_KEY, '1')
  }, [isHealthOpen])
  const passed = passedStops({
    detail,
    hasSeenHealth: isHealthOpen || sessionStorage.getItem(SEEN_KEY) !== null,
    hasBranch: sessions.some(({ parent_session_id }) => parent_session_id === id),
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
        session_id: `${TOUR_PREFIX}${randomText()}`,
        title: 'Tour: the other way',
        prompt: tourBranchPrompt,
      })
      navigate(sessionPath({ id: branched.id, agent }))
    })
  const finish = () =>
    run(async () => {
      for (const each of tourFamily(detail, sessions)) await client.remove(agent, each)
      sessionStorage.removeItem(SEEN_KEY)
      navigate('/')
    })
  const checkpoint = detail.checkpoints.find(({ checkpoint_type }) => checkpoint_type === 'step')
  return (
    <section className="tour-guide" aria-label="Tour">
      <StopList passed={passed} />
      <div className="row wrap">
        <p className="grow small t2">{nextSentence(passed, detail.approvals.length > 0)}</p>
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
        {checkpoint && !passed.has('branch') && passed.has('approval') && (
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

const nextSentence = (passed: ReadonlySet<string>, isWaiting: boolean): string => {
  if (isWaiting) return 'The run waits for you: read the change below, then approve, edit or deny it.'
  if (!passed.has('approval')) return 'Watch: text, thinking and tools come as they are written to the log.'
  if (!passed.has('health')) return 'Look at what it cost, and at the budget that guards it.'
  if (!passed.has('branch')) return 'Go back to the checkpoint, and try another way in a session of its own.'
  return 'That was the tour. Both sessions are in the list, as any other.'
}
