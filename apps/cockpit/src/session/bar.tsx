interface BarProps {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly isGoodWhenHigh?: boolean
}

/** A small measure of the strip. */
export const Bar = ({ label, value, max, isGoodWhenHigh = false }: BarProps) => {
  const part = max <= 0 ? 1 : Math.min(1, Math.max(0, value / max))
  const tone = isGoodWhenHigh
    ? part <= 0.5
      ? 'over'
      : part < 0.8
        ? 'high'
        : ''
    : part >= 1
      ? 'over'
      : part >= 0.8
        ? 'high'
        : ''
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers draw the element `meter` in their own colours
    <div
      className="bar"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
    >
      <i className={tone} ref={(bar) => bar?.style.setProperty('width', `${part * 100}%`)} />
    </div>
  )
}
