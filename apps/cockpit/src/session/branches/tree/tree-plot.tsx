// The tree of branches: a line for each session on an axis of event numbers.
import type { SessionTree } from 'bridle/client'
import { useLayoutEffect, useRef, useState } from 'react'
import { visibleText } from '../../../ui/plain-text.ts'
import { statusLook } from '../../../ui/status.tsx'
import type { BranchOrigin } from '../branch-dialog.tsx'
import { titleOf } from '../session-name.ts'
import { axisTicks, type TreeLine, treeLines } from './tree-layout.ts'
import { TreeMark } from './tree-mark.tsx'

/** The height of a line of the tree, and the room right of it for the word of its status, in pixels. */
const LINE_PX = 48
const END_WORD_PX = 130
const SMALL_END_WORD_PX = 100
/** The room above the lines for the numbers of the axis. */
const TREE_TOP_PX = 24

interface TreePlotProps {
  readonly tree: SessionTree
  readonly a: string | null
  readonly b: string | null
  /** Little room: the words at the ends are short, or left out. */
  readonly isSmall?: boolean
  readonly onBranch: (origin: BranchOrigin) => void
}

export const TreePlot = ({ tree, a, b, isSmall = false, onBranch }: TreePlotProps) => {
  const [frame, width] = useWidth()
  const lines = treeLines(tree.sessions)
  const last = Math.max(1, ...lines.map(({ to }) => to))
  const height = TREE_TOP_PX + lines.length * LINE_PX
  const x = (seq: number): number =>
    12 + (seq / last) * Math.max(0, width - (isSmall ? SMALL_END_WORD_PX : END_WORD_PX) - 12)
  const y = (row: number): number => TREE_TOP_PX + row * LINE_PX + LINE_PX / 2
  const look = ({ session }: TreeLine): string => (session.id === a ? 'line-a' : session.id === b ? 'line-b' : 'line-o')
  return (
    <div className="br-plot" ref={frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no set of fields */}
      <svg className="plot" width={width} height={height} role="group" aria-label={`Tree of ${lines.length} sessions`}>
        {axisTicks(last).map((tick) => (
          <g key={tick}>
            <line className="g" x1={x(tick)} y1={TREE_TOP_PX - 6} x2={x(tick)} y2={height - 6} />
            <text x={x(tick)} y={12} textAnchor="middle">
              {tick === 0 ? 'start' : tick}
            </text>
          </g>
        ))}
        {lines.map((line, row) => (
          <path
            key={line.session.id}
            className={`br-line ${look(line)}${line.session.visible ? '' : ' gap'}`}
            d={linePath(x(line.from), x(line.to), line.parent === null ? null : y(line.parent), y(row))}
          />
        ))}
        {lines.map((line, row) => (
          <g key={line.session.id}>
            {(['checkpoint', 'approval'] as const).flatMap((kind) =>
              (line.session[`${kind}s`] ?? []).map((seq) => (
                <TreeMark
                  key={`${kind} ${seq}`}
                  kind={kind}
                  x={x(seq)}
                  y={y(row)}
                  label={`${kind === 'checkpoint' ? 'Checkpoint' : 'Approval'} at event ${seq} of ${visibleText(titleOf(line.session))}: branch from here`}
                  onPick={() => onBranch({ ...line.session, title: titleOf(line.session), seq })}
                />
              )),
            )}
            <LineEnd line={line} x={x(line.to)} y={y(row)} />
          </g>
        ))}
      </svg>
    </div>
  )
}

/** The status at the end of a line: always a dot and a word. */
const LineEnd = ({ line: { session }, x, y }: { readonly line: TreeLine; readonly x: number; readonly y: number }) => {
  if (!session.visible)
    return (
      <text className="br-end" x={x + 12} y={y + 4}>
        {session.gap === 'removed' ? 'Removed' : 'Removed, or not yours'}
      </text>
    )
  const { word, tone } = statusLook(session.status ?? '')
  return (
    <>
      <circle className={`br-dot ${tone}`} cx={x} cy={y} r={6} />
      <text className={`br-end ${tone}`} x={x + 12} y={y + 4}>
        {word}
      </text>
    </>
  )
}

/** From the parent's line down to its own, in a curve, then along the axis. */
const linePath = (from: number, to: number, parentY: number | null, y: number): string => {
  if (parentY === null) return `M${from} ${y}H${to}`
  const bend = Math.min(28, Math.max(8, to - from))
  const middle = from + bend * 0.75
  return `M${from} ${parentY}C${middle} ${parentY} ${from + bend * 0.25} ${y} ${from + bend} ${y}H${Math.max(to, from + bend)}`
}

const useWidth = () => {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    setWidth(element.clientWidth)
    return () => observer.disconnect()
  }, [])
  return [frame, width] as const
}
