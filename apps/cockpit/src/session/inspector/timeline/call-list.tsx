// Calls and marks, newest last, on one axis with folded gaps.

import { durationText } from 'bridle/words'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useSession } from '../../session-context.tsx'
import { useSelection } from '../use-selection.ts'
import { type Axis, callSpans, foldedAxis } from './axis.ts'
import { CallGroupRow } from './call-group-row.tsx'
import type { Mark } from './marks.ts'
import { hasEvent, newestRows, type TimelineRow } from './rows.ts'

/** Rows of the timeline, newest last, and as many again with each click. */
const TIMELINE_ROWS = 60
/** A tick beyond this part of the axis would run into the word at its end. */
const LAST_TICK = 0.75

interface CallListProps {
  readonly rows: readonly TimelineRow[]
  /** The number of calls. */
  readonly count: number
  /** The number of the selected event. */
  readonly selected: number | null
}

export const CallList = ({ rows, count, selected }: CallListProps) => {
  const [shownCount, setShownCount] = useState(TIMELINE_ROWS)
  const now = useNow()
  const shown = newestRows(rows, shownCount, selected)
  const calls = shown.flatMap((row) => (row.kind === 'calls' ? row.calls : []))
  const isOpen = calls.some(({ endedAt }) => endedAt === null)
  const axis = foldedAxis(callSpans(calls, now))
  const older = rows.length - shown.length
  const pageHref = useSelection().hrefOf({ view: 'timeline', wide: null })
  return (
    <section className="calls" aria-label="Calls">
      <h2 className="h3">
        Calls<span className="t3">{count}</span>
        <span className="tiny t3">gaps folded</span>
        <Link className="right tiny" href={pageHref}>
          Full page
        </Link>
      </h2>
      {older > 0 && (
        <Button look="ghost" onClick={() => setShownCount((before) => before + TIMELINE_ROWS)}>
          {older} older
        </Button>
      )}
      {calls.length > 0 && <AxisTicks axis={axis} isOpen={isOpen} />}
      <ol className="tl">
        {shown.map((row) => (
          <li key={`${row.kind} ${row.seq}`}>
            <Row
              row={row}
              axis={axis}
              now={now}
              isSelected={selected !== null && hasEvent(row, selected)}
              selected={selected}
            />
          </li>
        ))}
      </ol>
    </section>
  )
}

interface RowProps {
  readonly row: TimelineRow
  readonly axis: Axis
  readonly now: number
  readonly isSelected: boolean
  readonly selected: number | null
}

const Row = ({ row, axis, now, isSelected, selected }: RowProps) => {
  if (row.kind === 'calls')
    return <CallGroupRow calls={row.calls} axis={axis} now={now} selected={isSelected ? selected : null} />
  if (row.kind === 'mark') return <MarkRow mark={row.mark} isSelected={isSelected} />
  return <LineRow agentId={row.agentId} wave={row.wave} />
}

/** A wave by its number, a subagent by its name where it has told one. */
const LineRow = ({ agentId, wave }: { readonly agentId: string | null; readonly wave: string | null }) => {
  const { events } = useSession()
  const name = agentId === null ? undefined : (events.subagents[agentId]?.agent ?? agentId)
  return (
    <div className="tl-sep">
      {name !== undefined && <Icon name="bot" size={12} />}
      {name !== undefined && visibleText(name)}
      {wave !== null && `${name === undefined ? '' : ' · '}Wave ${wave}`}
    </div>
  )
}

const MarkRow = ({ mark, isSelected }: { readonly mark: Mark; readonly isSelected: boolean }) => {
  const { select } = useSelection()
  const { seq, icon, tone, title, text } = mark
  return (
    <button
      type="button"
      className={`tl-mark${isSelected ? ' sel' : ''}`}
      aria-pressed={isSelected}
      title={visibleText(text)}
      onClick={() => select({ call: null, event: isSelected ? null : String(seq) })}
    >
      <span className={tone}>
        <Icon name={icon} size={14} />
      </span>
      <span className="nowrap">{title}</span>
      <span className={isSelected ? 'mark-text t3' : 'trunc t3'}>{visibleText(text)}</span>
      <span className="evno right">{seq}</span>
    </button>
  )
}

const AxisTicks = ({ axis, isOpen }: { readonly axis: Axis; readonly isOpen: boolean }) => (
  <div className="axis" aria-hidden="true">
    {axis.ticks
      .filter(({ at }) => at < LAST_TICK)
      .map(({ at, ms }) => (
        <span key={ms} style={{ left: `${at * 100}%` }}>
          {ms === 0 ? '0' : durationText(ms)}
        </span>
      ))}
    <span style={{ left: '100%' }}>{isOpen ? 'now' : durationText(axis.lengthMs)}</span>
  </div>
)
