// The bar below a session: its whole log on a line, with a cursor that shows every page of the session as it was at an event.
import { Button, IconButton } from '../../../ui/button.tsx'
import { useHarnessSeq } from '../../thread/thread-context.tsx'
import { usePast } from '../past-context.ts'
import { usePastActions } from '../use-past-actions.ts'
import { Lane } from './lane.tsx'
import './scrubber.css'

export const Scrubber = () => {
  const past = usePast()
  const { head, seq, isPast, isReplay, isPlaying, moveTo, togglePlay, leave } = past
  usePastActions()
  if (head === 0) return null
  return (
    <section className="scrub no-phone" aria-label="Time scrubber">
      <span className="row">
        <IconButton name="chevron-left" label="Previous event" onClick={() => moveTo(seq - 1)} />
        <IconButton
          name={isPlaying ? 'pause' : 'play'}
          label={isPlaying ? 'Pause' : 'Play from here'}
          onClick={togglePlay}
        />
        <IconButton name="chevron-right" label="Next event" onClick={() => moveTo(seq + 1)} />
      </span>
      <Lane />
      {isPast ? (
        <span className="num small nowrap acc medium place">
          event {seq} of {head}
        </span>
      ) : (
        <LivePlace />
      )}
      {isReplay ? null : isPast ? (
        <Button icon="radio" onClick={leave}>
          Back to live
        </Button>
      ) : (
        <span className="live">
          <span className="dot" />
          at the head
        </span>
      )}
    </section>
  )
}

/** Apart: every token changes it. */
const LivePlace = () => {
  const seq = useHarnessSeq()
  return (
    <span className="num small nowrap t2 place">
      event {seq} of {seq}
    </span>
  )
}
