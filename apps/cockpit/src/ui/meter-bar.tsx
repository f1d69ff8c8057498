/** From this part of a limit on, a measure is high: time is left to do something. */
export const HIGH_PART = 0.8

export type MeterTone = '' | 'high' | 'over' | 'acc'

interface MeterBarProps {
  readonly label: string
  /** From 0 to 1. */
  readonly part: number
  readonly tone: MeterTone
  /** The value in words: `$1.71 of $2.00`. */
  readonly text?: string
  /** The place of a threshold, from 0 to 1. */
  readonly markAt?: number
  readonly isThick?: boolean
}

/** A measure against its limit. */
export const MeterBar = ({ label, part, tone, text, markAt, isThick = false }: MeterBarProps) => (
  // biome-ignore lint/a11y/useSemanticElements: browsers draw the element `meter` in their own colours
  <div
    className={isThick ? 'bar thick' : 'bar'}
    role="meter"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={Math.round(within(part) * 100)}
    aria-valuetext={text}
  >
    <i className={tone} style={{ width: `${within(part) * 100}%` }} />
    {markAt !== undefined && <s style={{ left: `${within(markAt) * 100}%` }} />}
  </div>
)

const within = (part: number): number => Math.min(1, Math.max(0, part))

/** The part of a limit that is used; a limit of nothing is used up. */
export const partOf = (value: number, limit: number): number => (limit <= 0 ? 1 : value / limit)

/** High from 80 %, crossed from 100 %. */
export const usageTone = (part: number): MeterTone => (part >= 1 ? 'over' : part >= HIGH_PART ? 'high' : '')
