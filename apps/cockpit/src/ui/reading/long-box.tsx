// A box of text with a limited height. It says how many lines are below, since a scroll bar is hidden on many systems.

import { plural } from 'bridle/words'
import { type ReactNode, useRef } from 'react'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { ScrollBox } from '../scroll-box.tsx'
import { EndMark } from './end-mark.tsx'
import { useLinesBelow } from './use-lines-below.ts'
import './reading.css'

interface LongBoxProps {
  readonly label: string
  readonly className: string
  /** The text in the box. */
  readonly text: string
  /** The box shows a part of the text. */
  readonly isCut?: boolean
  readonly children: ReactNode
}

export const LongBox = ({ label, className, text, isCut = false, children }: LongBoxProps) => {
  const box = useRef<HTMLDivElement>(null)
  const below = useLinesBelow(box)
  const showEnd = (): void => {
    const element = box.current
    if (!element) return
    element.scrollTop = element.scrollHeight
    // The answers stick to the end of the page, and would cover the end of the box there.
    element.parentElement?.lastElementChild?.scrollIntoView({ block: 'center' })
    element.focus({ preventScroll: true })
  }
  return (
    <div className="long-box">
      <ScrollBox ref={box} label={label} className={className}>
        <div>
          {children}
          <EndMark of={`${label}\n${text}`} isCut={isCut} />
        </div>
      </ScrollBox>
      {below !== null && (
        <div className="lines-below small">
          {below > 0 ? (
            <>
              <span className="medium grow num">{plural(below, 'more line')} below</span>
              <Button icon="arrow-down" onClick={showEnd}>
                Jump to the end
              </Button>
            </>
          ) : (
            <>
              <Icon name="check" size={14} />
              <span className="t2">End of the text</span>
            </>
          )}
        </div>
      )}
    </div>
  )
}
