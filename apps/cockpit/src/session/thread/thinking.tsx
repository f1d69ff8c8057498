// Thoughts as they were recorded, folded. Reflections stand for themselves where the events tell them apart.

import { durationText } from 'bridle/words'
import { useEffect, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { splitReflections } from './reflections.ts'
import { emptyTurnMarkers, type TurnMarkers } from './thread-index.ts'

interface ThinkingProps {
  readonly text: string
  readonly isRunning: boolean
  readonly markers?: TurnMarkers | undefined
}

export const Thinking = ({ text, isRunning, markers = emptyTurnMarkers }: ThinkingProps) => {
  const duration = useWatchedDuration(isRunning)
  return splitReflections(text, markers.reflections).map(({ kind, text: part }, at) => (
    <Thought
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have their place alone
      key={at}
      text={part}
      lead={
        kind === 'reflection'
          ? 'Reflection'
          : isRunning
            ? 'Thinking'
            : duration === null
              ? 'Thought'
              : `Thought for ${durationText(duration)}`
      }
    />
  ))
}

const Thought = ({ text, lead }: { readonly text: string; readonly lead: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <div>
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={14} />
        <span className="lead">{lead}</span>
        {!isOpen && <span className="trunc">{visibleText(text.slice(0, 200).replace(/\s+/g, ' '))}</span>}
      </button>
      {isOpen && <div className="think-open thoughts">{visibleText(text)}</div>}
    </div>
  )
}

/** The time that the page itself saw pass; the log has no end of a thought. Null where it was not there. */
const useWatchedDuration = (isRunning: boolean): number | null => {
  const began = useRef<number | null>(null)
  const [duration, setDuration] = useState<number | null>(null)
  useEffect(() => {
    if (isRunning) began.current ??= Date.now()
    else if (began.current !== null) setDuration(Date.now() - began.current)
  }, [isRunning])
  return duration
}
