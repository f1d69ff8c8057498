import { ageText, agoText } from 'bridle/words'
import { momentText } from './clock.ts'
import { useNow } from './use-now.ts'

interface AgeProps {
  readonly at: string
  /** In a sentence: `just now`, `20 s ago`. */
  readonly isAgo?: boolean
}

/** The age of a moment, and the moment itself on hover. */
export const Age = ({ at, isAgo = false }: AgeProps) => {
  const age = Math.max(0, useNow() - Date.parse(at))
  return (
    <time dateTime={at} title={momentText(at)} className="num">
      {isAgo ? agoText(age) : ageText(age)}
    </time>
  )
}
