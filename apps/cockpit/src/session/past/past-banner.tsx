// The bar above a page that shows the past, and the sentence where it cannot.

import { agoText } from 'bridle/words'
import { useEffect, useState } from 'react'
import { keyHintOf } from '../../actions/action-table.ts'
import { useCanBranch } from '../../server/use-can.ts'
import { Button } from '../../ui/button.tsx'
import { secondText } from '../../ui/clock.ts'
import { Icon } from '../../ui/icon.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { usePresent } from '../../ui/use-now.ts'
import { useSession } from '../session-context.tsx'
import { usePast } from './past-context.ts'
import { useBranchHere } from './use-branch-here.ts'
import './past.css'

/** Time that the cursor rests before a screen reader says where it is. */
const REST_MS = 600

export const PastBanner = () => {
  const { isLoading, problem } = usePast()
  const { past } = useSession()
  if (problem !== null) return <Problem text={problem} />
  if (isLoading) return <Loading />
  return past && <Viewing />
}

const Viewing = () => {
  const { past } = useSession()
  const { isReplay, moveTo, leave } = usePast()
  const canBranch = useCanBranch()
  const { branch, isBusy } = useBranchHere()
  const present = usePresent()
  if (!past) return null
  const { seq, head, entry } = past
  return (
    <section className="pastbar" aria-label="The past">
      <Icon name="history" />
      <span className="medium nowrap num">
        Viewing event {seq} of {head}
      </span>
      <span className="t2 trunc">
        <code>{visibleText(entry.type)}</code> at {secondText(entry.at)}, {agoText(Math.max(0, present - entry.at))}.
        Everything on this page is as it was then.
      </span>
      <span className="right row">
        <Step label="Previous event" keyName={keyHintOf('past.previous')} onClick={() => moveTo(seq - 1)} />
        <Step label="Next event" keyName={keyHintOf('past.next')} onClick={() => moveTo(seq + 1)} />
        {canBranch && (
          <Button icon="git-branch" keyHint={keyHintOf('past.branch')} isBusy={isBusy} onClick={() => void branch()}>
            Branch here
          </Button>
        )}
        {!isReplay && (
          <Button look="primary" icon="radio" keyHint={keyHintOf('past.leave')} onClick={leave}>
            Back to live
          </Button>
        )}
      </span>
      <Sentence text={`Viewing event ${seq} of ${head}, ${visibleText(entry.type)}.`} />
    </section>
  )
}

interface StepProps {
  readonly label: string
  readonly keyName: string
  readonly onClick: () => void
}

const Step = ({ label, keyName, onClick }: StepProps) => (
  <button
    type="button"
    className="btn icon"
    aria-label={label}
    title={label}
    aria-keyshortcuts={keyName}
    onClick={onClick}
  >
    <Kbd>{keyName}</Kbd>
  </button>
)

/** For screen readers, once the cursor rests: a cursor that moves would not stop talking. */
const Sentence = ({ text }: { readonly text: string }) => {
  const [said, setSaid] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), REST_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <span className="vh" role="status">
      {said}
    </span>
  )
}

const Loading = () => {
  const { log, leave } = usePast()
  return (
    <div className="pastbar" role="status">
      <Icon name="loader-circle" isSpinning />
      <span className="medium nowrap">Loading the log</span>
      <span className="t2 trunc num">
        {log ? `${log.loaded} of ${log.head} events. ` : ''}The page shows the present until then.
      </span>
      <span className="right">
        <Button look="primary" icon="radio" keyHint={keyHintOf('past.leave')} onClick={leave}>
          Back to live
        </Button>
      </span>
    </div>
  )
}

const Problem = ({ text }: { readonly text: string }) => {
  const { canRetry, isReplay, leave, retry } = usePast()
  return (
    <div className="banner bad" role="alert">
      <Icon name="history" />
      <b>This moment cannot be shown.</b>
      <span className="t2">
        {visibleText(text)} {isReplay ? 'The page shows the end of the log.' : 'The page shows the present.'}
      </span>
      <span className="right row">
        {canRetry && (
          <Button icon="rotate-cw" onClick={() => void retry()}>
            Try again
          </Button>
        )}
        <Button icon="radio" keyHint={keyHintOf('past.leave')} onClick={leave}>
          {isReplay ? 'Show the end' : 'Back to live'}
        </Button>
      </span>
    </div>
  )
}

/** In the bar above the page, while it shows the past. */
export const LiveIsAt = () => {
  const { head, isReplay } = usePast()
  if (isReplay) return <span className="live">Replay of a file</span>
  return (
    <span className="live num">
      <span className="dot" />
      Live is at {head}
    </span>
  )
}
