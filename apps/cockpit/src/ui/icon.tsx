import type { IconName } from './icon-names.ts'
import sprite from './icons.svg'

interface IconProps {
  readonly name: IconName
  readonly size?: 12 | 14 | 16 | 20
  readonly isSpinning?: boolean
}

/** A picture beside a word: the word says the same, so a screen reader leaves the picture out. */
export const Icon = ({ name, size = 16, isSpinning = false }: IconProps) => (
  <svg className={`i${size === 16 ? '' : ` i-${size}`}${isSpinning ? ' spin' : ''}`} aria-hidden="true">
    <use href={`${sprite}#${name}`} />
  </svg>
)
