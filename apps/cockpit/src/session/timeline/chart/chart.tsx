// The chart: the overview and the axis stay on top, lanes and groups of calls scroll below.

import { durationText, plural } from 'bridle/words'
import { type RefObject, useEffect, useRef } from 'react'
import type { Axis } from '../../inspector/timeline/axis.ts'
import type { Chart, ChartTimes } from '../model/chart.ts'
import type { CallsRow } from '../model/chart-rows.ts'
import { ROW_PX, type RowLayout, rowTop } from '../model/row-layout.ts'
import { AxisGrid, AxisWords } from './axis.tsx'
import { useChart } from './chart-context.tsx'
import { ChartNotes } from './chart-notes.tsx'
import { GroupRows } from './group-rows.tsx'
import { MarkLane, PlanLane } from './lanes.tsx'
import { Overview } from './overview.tsx'
import { useDragPan } from './use-drag-pan.ts'
import { useVisibleRange } from './use-visible-range.ts'
import { useWheelZoom } from './use-wheel-zoom.ts'

interface ChartBoxProps {
  readonly chart: Chart
  readonly axis: Axis
  readonly times: ChartTimes
  readonly layout: RowLayout
  readonly opened: ReadonlySet<string>
  readonly onPress: (row: CallsRow) => void
  /** The row that is to be in sight, and whether it gets the focus. */
  readonly wanted: { readonly key: string; readonly hasFocus: boolean } | null
}

export const ChartBox = ({ chart, axis, times, layout, opened, onPress, wanted }: ChartBoxProps) => {
  const scroll = useRef<HTMLDivElement>(null)
  const rows = useRef<HTMLDivElement>(null)
  const track = useRef<HTMLDivElement>(null)
  const top = useRef<HTMLDivElement>(null)
  const range = useVisibleRange(scroll, rows)
  const { now } = useChart()
  useWheelZoom(scroll, track)
  const drag = useDragPan(track)
  useRowInSight({ scroll, rows, top, layout, wanted, range })
  return (
    <div className="times-scroll" ref={scroll} {...drag}>
      <div className="times-sheet">
        <div className="times-top" ref={top}>
          <div className="times-head">
            <div className="col small">
              <span className="medium">{durationText(times.callMs)} with calls</span>
              <span className="t3">{clockText(times)}</span>
            </div>
            <Overview calls={chart.calls} axis={axis} now={now} />
          </div>
          <AxisWords axis={axis} isOpen={chart.isOpen} />
        </div>
        <PlanLane steps={chart.steps} />
        <MarkLane marks={chart.marks} />
        <GroupRows layout={layout} range={range} box={rows} opened={opened} onPress={onPress}>
          <AxisGrid axis={axis} calls={chart.calls} ref={track} />
        </GroupRows>
        {layout.groups.length === 0 && (
          <p className="times-empty small t3">
            {chart.calls.length === 0 ? 'No calls so far.' : `None of ${plural(chart.calls.length, 'call')} is so.`}
          </p>
        )}
        <ChartNotes hasFolds={axis.folds.length > 0} hasWaits={times.waitMs > 0} />
      </div>
    </div>
  )
}

const clockText = ({ clockMs, waitMs }: ChartTimes): string =>
  [`${durationText(clockMs)} by the clock`, waitMs > 0 && `${durationText(waitMs)} waited for people`]
    .filter(Boolean)
    .join(', ')

interface RowInSight {
  readonly scroll: RefObject<HTMLDivElement | null>
  readonly rows: RefObject<HTMLDivElement | null>
  readonly top: RefObject<HTMLDivElement | null>
  readonly layout: RowLayout
  readonly wanted: ChartBoxProps['wanted']
  /** Changes when other rows are drawn. */
  readonly range: object
}

/** Scrolls to a row once it is wanted, and gives it the focus once it is drawn. */
const useRowInSight = ({ scroll, rows, top, layout, wanted, range }: RowInSight): void => {
  const done = useRef<{ wanted: object | null; isFocused: boolean }>({ wanted: null, isFocused: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row may be drawn after a scroll
  useEffect(() => {
    const [box, inner] = [scroll.current, rows.current]
    if (!wanted || !box || !inner) return
    const place = rowTop(layout, wanted.key)
    if (place === null) return
    if (done.current.wanted !== wanted) {
      done.current = { wanted, isFocused: false }
      const at = inner.offsetTop + place
      const hidden = top.current?.offsetHeight ?? 0
      if (at < box.scrollTop + hidden) box.scrollTop = at - hidden - ROW_PX
      else if (at + ROW_PX > box.scrollTop + box.clientHeight) box.scrollTop = at + 2 * ROW_PX - box.clientHeight
    }
    if (!wanted.hasFocus || done.current.isFocused) return
    const row = inner.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.key)}"]`)
    if (!row) return
    done.current.isFocused = true
    row.focus({ preventScroll: true })
  }, [wanted, layout, range])
}
