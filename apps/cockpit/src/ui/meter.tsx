import { MeterBar, type MeterTone } from './meter-bar.tsx'

interface MeterProps {
  readonly label: string
  /** From 0 to 1. */
  readonly part: number
  readonly tone: MeterTone
  /** The value in words: `$1.71 of $2.00`. */
  readonly text: string
  /** A sentence below: what happens when the limit is crossed. */
  readonly note?: string
  /** The place of a threshold, from 0 to 1. */
  readonly markAt?: number
}

/** A measure with its name, its value and what happens at its limit. */
export const Meter = ({ label, part, tone, text, note, markAt }: MeterProps) => (
  <div className="meter">
    <span className="t2">{label}</span>
    <MeterBar label={label} part={part} tone={tone} text={text} {...(markAt !== undefined && { markAt })} />
    <span className={`num${textTones[tone]}`}>{text}</span>
    {note !== undefined && <span className="note">{note}</span>}
  </div>
)

const textTones: { readonly [tone in MeterTone]: string } = {
  '': ' t2',
  acc: ' t2',
  high: ' medium warn',
  over: ' medium danger',
}
