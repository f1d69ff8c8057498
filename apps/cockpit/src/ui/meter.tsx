interface MeterProps {
  readonly label: string
  readonly value: number
  readonly max: number
  /** The value in words: `$1.71 of $2.00`. */
  readonly text: string
  /** A sentence below: what happens when it is crossed. */
  readonly note?: string
}

/** A measure against its limit: high from 80 %, crossed from 100 %. */
export const Meter = ({ label, value, max, text, note }: MeterProps) => {
  const part = max <= 0 ? 1 : Math.min(1, value / max)
  const tone = value >= max ? 'over' : part >= 0.8 ? 'high' : ''
  return (
    <div className="meter">
      <span className="t2">{label}</span>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw the element `meter` in their own colours */}
      <span
        className="bar"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={Math.min(value, max)}
        aria-valuetext={text}
      >
        <i className={tone} ref={(bar) => bar?.style.setProperty('width', `${part * 100}%`)} />
      </span>
      <span className="num">{text}</span>
      {note !== undefined && <span className="note">{note}</span>}
    </div>
  )
}
