// The newest checkpoints, each with its event.

import { nameText } from 'bridle/words'
import { useState } from 'react'
import { Age } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { foldScript } from '../../ui/script-text.ts'
import { EventLink } from '../inspector/event-link.tsx'
import { useSession } from '../session-context.tsx'

/** Checkpoints at first: the others are one click away. */
const CHECKPOINTS_SHOWN = 6

export const Checkpoints = () => {
  const { checkpoints, health } = useSession().detail
  const [isWhole, setWhole] = useState(false)
  if (checkpoints.length === 0) return null
  const shown = isWhole ? checkpoints : checkpoints.slice(0, CHECKPOINTS_SHOWN)
  return (
    <section className="sec" aria-label="Checkpoints">
      <h2>
        Checkpoints<span className="t3">{health.checkpoints.count}</span>
      </h2>
      <ul className="col small">
        {shown.map((checkpoint) => (
          <li key={checkpoint.event_id} className="row work-row">
            <Icon name="flag" size={14} />
            <span className="nowrap t3">{visibleText(nameText(checkpoint.checkpoint_type))}</span>
            <span className="trunc" title={visibleText(foldScript(checkpoint.summary_text))}>
              {visibleText(foldScript(checkpoint.summary_text))}
            </span>
            <span className="right t3 row">
              <Age at={checkpoint.timestamp} />
              <EventLink id={checkpoint.event_id} />
            </span>
          </li>
        ))}
      </ul>
      {shown.length < checkpoints.length && (
        <Button look="ghost" onClick={() => setWhole(true)}>
          {checkpoints.length - shown.length} older
        </Button>
      )}
    </section>
  )
}
