import { durationText, plural } from 'bridle/words'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import type { IconName } from '../../../ui/icon-names.ts'
import { visibleText } from '../../../ui/plain-text.ts'
import { useSession } from '../../session-context.tsx'
import { planCount, planSteps, STEP_WORDS, type StepStatus, stepsAroundNext } from './plan-steps.ts'

const looks: { readonly [status in StepStatus]: { icon: IconName; tone: string } } = {
  open: { icon: 'circle-dashed', tone: '' },
  running: { icon: 'loader-circle', tone: 'running' },
  done: { icon: 'circle-check', tone: 'done' },
  stopped: { icon: 'ban', tone: '' },
  failed: { icon: 'circle-x', tone: 'failed' },
}

/** The steps of the work. An agent that tells none has no plan on the page. */
export const Plan = () => {
  const { events, detail } = useSession()
  const steps = planSteps(events.steps, detail.steps)
  const [isWhole, setWhole] = useState(false)
  if (steps.length === 0) return null
  const shown = isWhole ? steps : stepsAroundNext(steps)
  const isRunning = detail.status === 'running'
  return (
    <section className="sec plan" aria-label="Plan">
      <h2>
        Plan
        <span className="right t3">{detail.step ? planCount(detail.step).text : plural(steps.length, 'step')}</span>
      </h2>
      <ol className="col small">
        {shown.map(({ key, title, status, tookMs }) => {
          const { icon, tone } = looks[status]
          const word = STEP_WORDS[status]
          return (
            <li key={key} className={status === 'open' ? 'row t3' : 'row'}>
              <span className={`st ${tone}`} title={word}>
                <Icon name={icon} size={14} isSpinning={status === 'running' && isRunning} />
                <span className="vh">{word}</span>
              </span>
              <span className={status === 'running' ? 'trunc medium' : 'trunc'} title={visibleText(title)}>
                {visibleText(title)}
              </span>
              {tookMs !== null && <span className="right t3 num">{durationText(tookMs)}</span>}
            </li>
          )
        })}
      </ol>
      {shown.length < steps.length && (
        <Button look="ghost" onClick={() => setWhole(true)}>
          Show all {steps.length}
        </Button>
      )}
    </section>
  )
}
