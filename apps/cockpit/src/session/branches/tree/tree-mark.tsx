// A checkpoint or an approval on a line of the tree. It opens the dialog that branches there.
import type { KeyboardEvent } from 'react'

interface TreeMarkProps {
  readonly kind: 'checkpoint' | 'approval'
  readonly x: number
  readonly y: number
  readonly label: string
  readonly onPick: () => void
}

export const TreeMark = ({ kind, x, y, label, onPick }: TreeMarkProps) => {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    onPick()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing has no button of its own
    <g className="br-mark" role="button" tabIndex={0} aria-label={label} onClick={onPick} onKeyDown={onKeyDown}>
      <title>{label}</title>
      <circle className="br-hit" cx={x} cy={y} r={12} />
      {kind === 'checkpoint' ? (
        <rect x={x - 4.5} y={y - 4.5} width={9} height={9} rx={1.5} transform={`rotate(45 ${x} ${y})`} />
      ) : (
        <circle className="approval" cx={x} cy={y} r={4.5} />
      )}
    </g>
  )
}
