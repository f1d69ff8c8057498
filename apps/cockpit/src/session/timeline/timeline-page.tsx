// The page of a session's calls over time: one row for each call on a shared axis, and the selected one beside them.

import { useCallback, useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { useCanBranch } from '../../server/use-can.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import type { Call } from '../inspector/timeline/call.ts'
import { callLooks } from '../inspector/timeline/call-look.ts'
import { useSelection } from '../inspector/use-selection.ts'
import { useSession } from '../session-context.tsx'
import { CallPanel, MarkPanel } from './call-panel.tsx'
import { ChartBox } from './chart/chart.tsx'
import { ChartProvider } from './chart/chart-context.tsx'
import { ZOOM_STEP } from './chart/use-wheel-zoom.ts'
import { type AxisKind, type Chart, chartAxis, chartOf, chartTimes } from './model/chart.ts'
import { type CallFilter, type CallsRow, callCounts, chartRows } from './model/chart-rows.ts'
import {
  type ChartWindow,
  movedWindow,
  placeInWindow,
  wholeWindow,
  windowWidth,
  zoomedWindow,
} from './model/chart-window.ts'
import { rowLayout } from './model/row-layout.ts'
import { TimelineBar } from './timeline-bar.tsx'
import { useBranchBefore } from './use-branch-before.ts'
import { useChartTime } from './use-chart-time.ts'
import { useTimelineActions } from './use-timeline-actions.ts'
import './timeline.css'

/** On a phone the name of a group has a line above its rows. */
const GROUP_HEAD_PX = 24
/** The part of the window that an arrow key moves it by. */
const PAN_PART = 0.15

const TimelinePage = () => {
  const { events, detail } = useSession()
  const chart = useMemo(() => chartOf(events, detail.steps), [events, detail.steps])
  const now = useChartTime(chart)
  const { axisKind, filter, setAxisKind, setFilter } = useTimelineQuery()
  const axis = useMemo(() => chartAxis(chart, axisKind, now), [chart, axisKind, now])
  const times = useMemo(() => chartTimes(chart, now), [chart, now])
  const [window, setWindow] = useState<ChartWindow>(wholeWindow)
  const { opened, toggle } = useOpenedRows()
  const selection = useChartSelection(chart)
  const { choose } = selection
  const press = useCallback(
    (row: CallsRow) => (row.calls.length > 1 ? toggle(row.key) : choose(row.calls[0])),
    [toggle, choose],
  )
  const selected = selection.call?.seq ?? selection.mark?.seq ?? null
  const groups = useMemo(
    () => chartRows(chart.groups, { filter, opened, selected: selection.call?.seq ?? null }),
    [chart, filter, opened, selection.call?.seq],
  )
  const head = useIsPhone() ? GROUP_HEAD_PX : 0
  const layout = useMemo(() => rowLayout(groups, head), [groups, head])
  const [active, setActive] = useState<string | null>(null)
  const selectedKey = selection.call ? `call ${selection.call.seq}` : null
  const wanted = useMemo(() => {
    const key = active ?? selectedKey
    return key === null ? null : { key, hasFocus: active !== null }
  }, [active, selectedKey])

  const placeOf = useCallback((time: number) => placeInWindow(window, axis.at(time)), [window, axis])
  const view = useMemo(
    () => ({ placeOf, now, window, setWindow, selected, active }),
    [placeOf, now, window, selected, active],
  )
  const zoom = (by: 1 | 0 | -1): void =>
    setWindow((before) => (by === 0 ? wholeWindow : zoomedWindow(before, ZOOM_STEP ** by)))
  const branchBefore = useBranchBefore()
  const canBranch = useCanBranch()
  const counts = useMemo(() => callCounts(chart.calls), [chart])
  const rows = groups.flatMap((group) => group.rows)
  const activeRow = rows.find(({ key }) => key === active)
  useTimelineActions({
    zoom,
    pan:
      windowWidth(window) === 1
        ? null
        : (by) => setWindow((before) => movedWindow(before, by * PAN_PART * windowWidth(before))),
    move: (by) => {
      const at = rows.findIndex(({ key }) => key === (active ?? selectedKey))
      setActive(rows[Math.min(Math.max(0, at + by), rows.length - 1)]?.key ?? null)
    },
    open: activeRow?.kind === 'calls' ? () => press(activeRow) : null,
    close: selected === null ? null : selection.close,
    branch: selected === null || !canBranch ? null : () => void branchBefore(selected),
    turnAxis: () => setAxisKind(axisKind === 'clock' ? 'calls' : 'clock'),
    filters: counts.map(([id]) => id),
    setFilter,
  })
  return (
    <ChartProvider value={view}>
      <TimelineBar
        axis={axisKind}
        onAxis={setAxisKind}
        counts={counts}
        filter={filter}
        onFilter={setFilter}
        window={window}
        onZoom={zoom}
      />
      <div className={selected === null ? 'times' : 'times with-call'}>
        <ChartBox
          chart={chart}
          axis={axis}
          times={times}
          layout={layout}
          opened={opened}
          onPress={press}
          wanted={wanted}
        />
        {selected !== null && (
          <Panel onClose={selection.close}>
            {selection.call && (
              <CallPanel
                key={selection.call.seq}
                call={selection.call}
                group={chart.groups.find(({ calls }) => calls.some(({ seq }) => seq === selected)) ?? null}
                onBranch={() => void branchBefore(selected)}
                onClose={selection.close}
              />
            )}
            {selection.mark && (
              <MarkPanel
                key={selection.mark.seq}
                mark={selection.mark}
                onBranch={() => void branchBefore(selected)}
                onClose={selection.close}
              />
            )}
          </Panel>
        )}
      </div>
    </ChartProvider>
  )
}

/** Beside the chart, or on a phone a sheet above it. */
const Panel = ({ onClose, children }: { readonly onClose: () => void; readonly children: React.ReactNode }) =>
  useIsPhone() ? (
    <Dialog title="Selected call" look="sheet" onClose={onClose}>
      <div className="times-call">{children}</div>
    </Dialog>
  ) : (
    <aside className="times-call" aria-label="Selected call">
      {children}
    </aside>
  )

const useOpenedRows = () => {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback(
    (key: string) =>
      setOpened((before) => {
        const next = new Set(before)
        if (!next.delete(key)) next.add(key)
        return next
      }),
    [],
  )
  return { opened, toggle }
}

/** The call or the mark that the address names. An id that was used again is told apart by the event. */
const useChartSelection = ({ calls, marks }: Chart) => {
  const { call: id, event, select } = useSelection()
  const close = useCallback(() => select({ call: null, event: null }), [select])
  const choose = useCallback(({ toolCallId, seq }: Call) => select({ call: toolCallId, event: String(seq) }), [select])
  const call = useMemo(() => {
    if (id === null) return calls.find(({ seq, lastSeq }) => seq === event || lastSeq === event) ?? null
    const named = calls.filter(({ toolCallId }) => toolCallId === id)
    return named.find(({ seq }) => seq === event) ?? named.at(-1) ?? null
  }, [calls, id, event])
  const mark = call === null && event !== null ? (marks.find(({ seq }) => seq === event) ?? null) : null
  return { call, mark, close, choose }
}

/** The axis and the filter stand in the address: somebody else sees the same. */
const useTimelineQuery = () => {
  const [query, setQuery] = useSearchParams()
  const set = (name: string, value: string | null): void =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === null) next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  const outcome = query.get('outcome') ?? ''
  return {
    axisKind: (query.get('axis') === 'clock' ? 'clock' : 'calls') as AxisKind,
    filter: (Object.hasOwn(callLooks, outcome) ? outcome : 'all') as CallFilter,
    setAxisKind: (kind: AxisKind) => set('axis', kind === 'clock' ? kind : null),
    setFilter: (filter: CallFilter) => set('outcome', filter === 'all' ? null : filter),
  }
}

export default TimelinePage
