// All calls on one small axis, with the window that the chart shows. The window can be moved, and its edges too.
import { type PointerEvent, useMemo, useRef } from 'react'
import type { Axis } from '../../inspector/timeline/axis.ts'
import type { Call } from '../../inspector/timeline/call.ts'
import { callLooks } from '../../inspector/timeline/call-look.ts'
import { movedWindow, windowBetween } from '../model/chart-window.ts'
import { percent, useChart } from './chart-context.tsx'

/** The height of the overview's drawing, in its own units. */
const OVERVIEW_HEIGHT = 40

type Grip = 'left' | 'right' | 'middle' | 'new'

interface OverviewProps {
  readonly calls: readonly Call[]
  readonly axis: Axis
  readonly now: number
}

export const Overview = ({ calls, axis, now }: OverviewProps) => {
  const { window, setWindow } = useChart()
  const box = useRef<HTMLDivElement>(null)
  const drag = useRef<{ grip: Grip; at: number } | null>(null)
  const placeOf = (event: PointerEvent): number => {
    const { left, width } = box.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return Math.min(1, Math.max(0, (event.clientX - left) / Math.max(width, 1)))
  }
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    const grip = ((event.target as HTMLElement).dataset.grip as Grip | undefined) ?? 'new'
    // A window that shows everything cannot be moved: a drag over it makes a new one.
    const isWhole = window.from === 0 && window.to === 1
    drag.current = { grip: grip === 'middle' && isWhole ? 'new' : grip, at: placeOf(event) }
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const onPointerMove = (event: PointerEvent): void => {
    const { current } = drag
    if (!current) return
    const at = placeOf(event)
    const { grip, at: before } = current
    if (grip === 'middle') {
      drag.current = { grip, at }
      setWindow((each) => movedWindow(each, at - before))
    } else if (grip === 'left') setWindow(({ to }) => windowBetween(Math.min(at, to), to))
    else if (grip === 'right') setWindow(({ from }) => windowBetween(from, Math.max(at, from)))
    else if (at !== before) setWindow(() => windowBetween(before, at))
  }
  const end = (): void => {
    drag.current = null
  }
  return (
    <div
      className="times-overview"
      ref={box}
      role="img"
      aria-label={`Overview of ${calls.length} calls`}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
    >
      <OverviewBars calls={calls} axis={axis} now={now} />
      <span className="brush" data-grip="middle" style={{ left: percent(window.from), right: percent(1 - window.to) }}>
        <i data-grip="left" />
        <i data-grip="right" />
      </span>
    </div>
  )
}

const WIDTH = 1_000

/** Bars of one look are one path: thousands of calls are a handful of elements. */
const OverviewBars = ({ calls, axis, now }: OverviewProps) => {
  const paths = useMemo(() => {
    const found = new Map<string, string[]>()
    const step = (OVERVIEW_HEIGHT - 10) / Math.max(calls.length, 1)
    for (const [index, { beganAt, endedAt, status }] of calls.entries()) {
      const { bar } = callLooks[status]
      const from = axis.at(beganAt) * WIDTH
      const width = Math.max(axis.at(endedAt ?? Math.max(now, beganAt)) * WIDTH - from, 3)
      const path = `M${Math.min(from, WIDTH - 3).toFixed(1)} ${(6 + index * step).toFixed(1)}h${width.toFixed(1)}`
      found.set(bar, [...(found.get(bar) ?? []), path])
    }
    return [...found].map(([bar, pieces]) => [bar, pieces.join('')] as const)
  }, [calls, axis, now])
  return (
    <svg viewBox={`0 0 ${WIDTH} ${OVERVIEW_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {paths.map(([bar, path]) => (
        <path key={bar} className={bar} d={path} />
      ))}
    </svg>
  )
}
