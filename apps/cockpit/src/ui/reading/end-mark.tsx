import { type RefObject, useContext, useEffect, useRef } from 'react'
import { ReadingContext } from './reading.ts'
import './reading.css'

interface EndMarkProps {
  /** The name and the text of the block that ends here. */
  readonly of: string
  readonly isCut?: boolean
  readonly field?: RefObject<HTMLElement | null>
}

/** The end of a block that has to be read before it is approved. */
export const EndMark = ({ of, isCut = false, field }: EndMarkProps) => {
  const reading = useContext(ReadingContext)
  const mark = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const element = mark.current
    return element && reading ? reading.add({ key: of, element, isCut, field: field?.current ?? null }) : undefined
  }, [reading, isCut, field, of])
  return reading && <span ref={mark} className="end-mark" aria-hidden="true" />
}
