// The groups of the chart with their rows. Only those in sight are drawn.
import type { RefObject } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import type { CallsRow, ChartRow } from '../model/chart-rows.ts'
import { type RowLayout, rowsBetween, type ShownGroup } from '../model/row-layout.ts'
import { CallRow, ChildSessionRow } from './call-row.tsx'
import { useChart } from './chart-context.tsx'
import type { VisibleRange } from './use-visible-range.ts'

interface GroupRowsProps {
  readonly layout: RowLayout
  readonly range: VisibleRange
  readonly box: RefObject<HTMLDivElement | null>
  readonly opened: ReadonlySet<string>
  readonly onPress: (row: CallsRow) => void
  readonly children: React.ReactNode
}

export const GroupRows = ({ layout, range, box, opened, onPress, children }: GroupRowsProps) => {
  const { selected, active } = useChart()
  const first = layout.groups[0]?.group.rows[0]?.key
  return (
    <div className="times-rows" ref={box} style={{ height: layout.height }}>
      {children}
      {rowsBetween(layout, range.from, range.to).map((shown) => (
        <Group
          key={shown.group.key}
          shown={shown}
          opened={opened}
          selected={selected}
          tabStop={active ?? first ?? null}
          onPress={onPress}
        />
      ))}
    </div>
  )
}

interface GroupProps {
  readonly shown: ShownGroup
  readonly opened: ReadonlySet<string>
  readonly selected: number | null
  readonly tabStop: string | null
  readonly onPress: (row: CallsRow) => void
}

const Group = ({ shown, opened, selected, tabStop, onPress }: GroupProps) => {
  const { group, top, height, rows } = shown
  const { kind, label, note } = group
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div
      className={`times-group${kind === 'agent' ? ' sub' : ''}`}
      role="group"
      aria-label={visibleText(label)}
      style={{ top, height }}
    >
      <div className="lb">
        <span className="row">
          {kind === 'agent' && <Icon name="bot" size={14} />}
          <span className="trunc" title={visibleText(label)}>
            {visibleText(label)}
          </span>
        </span>
        <span className="t3" title={note}>
          {visibleText(note)}
        </span>
      </div>
      {group.rows.length > 1 && kind !== 'turn' && <span className="br" />}
      {rows.map(({ row, top: rowTop }) => (
        <Row
          key={row.key}
          row={row}
          top={rowTop}
          isOpen={opened.has(row.key)}
          isSelected={row.kind === 'calls' && row.calls.length === 1 && row.calls[0].seq === selected}
          isTabStop={row.key === tabStop}
          onPress={onPress}
        />
      ))}
    </div>
  )
}

interface RowProps {
  readonly row: ChartRow
  readonly top: number
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly isTabStop: boolean
  readonly onPress: (row: CallsRow) => void
}

/** The row with the places of its bar: rows of calls that are over do not render when the clock moves on. */
const Row = ({ row, top, ...more }: RowProps) => {
  const { placeOf, now } = useChart()
  const calls = row.kind === 'calls' ? row.calls : row.givenBy ? [row.givenBy] : []
  const isOver = calls.every(({ endedAt }) => endedAt !== null)
  const from = placeOf(Math.min(...calls.map(({ beganAt }) => beganAt)))
  const to = placeOf(Math.max(...calls.map(({ beganAt, endedAt }) => endedAt ?? Math.max(now, beganAt))))
  if (row.kind === 'child')
    return <ChildSessionRow row={row} top={top} from={from} to={to} isTabStop={more.isTabStop} />
  return <CallRow row={row} top={top} from={from} to={to} now={isOver ? 0 : now} {...more} />
}
