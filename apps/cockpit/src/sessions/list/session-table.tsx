import type { SessionRow } from 'bridle/client'
import { countText } from 'bridle/words'
import { memo } from 'react'
import { Age } from '../../ui/age.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { titleText } from '../../ui/script-text.ts'
import { RowAction } from '../acts/row-action.tsx'
import type { SessionAct } from '../acts/session-acts.ts'
import { SessionStatus } from '../session-status.tsx'
import { HealthCell } from './health-cell.tsx'
import { rowKey } from './row-order.ts'
import { eventNumber, isCostHigh, progressText, rowCostText } from './row-words.ts'
import { SessionTitle } from './session-title.tsx'

interface SessionTableProps {
  readonly rows: readonly SessionRow[]
  readonly selected: ReadonlySet<string>
  readonly acts: ReadonlyMap<string, SessionAct>
  readonly onSelect: (key: string, isRange: boolean) => void
}

export const SessionTable = ({ rows, selected, acts, onSelect }: SessionTableProps) => (
  <table className="tbl sessions">
    <thead>
      <tr>
        <th>
          <span className="vh">Select</span>
        </th>
        <th>Status</th>
        <th className="c-title">Title</th>
        <th className="c-agent">Agent</th>
        <th className="c-progress">Progress</th>
        <th>Health</th>
        <th className="n">Cost</th>
        <th className="c-events n">Events</th>
        <th className="n">Changed</th>
        <th>
          <span className="vh">Action</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <TableRow
          key={rowKey(row)}
          row={row}
          isSelected={selected.has(rowKey(row))}
          act={acts.get(rowKey(row))}
          onSelect={onSelect}
        />
      ))}
    </tbody>
  </table>
)

interface TableRowProps {
  readonly row: SessionRow
  readonly isSelected: boolean
  readonly act: SessionAct | undefined
  readonly onSelect: (key: string, isRange: boolean) => void
}

const TableRow = memo(({ row, isSelected, act, onSelect }: TableRowProps) => (
  <tr className={isSelected ? 'sel' : ''} data-row={rowKey(row)}>
    <td>
      <input
        type="checkbox"
        className="check"
        aria-label={`Select ${visibleText(titleText(row))}`}
        checked={isSelected}
        onChange={() => {}}
        onClick={(event) => onSelect(rowKey(row), event.shiftKey)}
      />
    </td>
    <td>
      <SessionStatus row={row} />
    </td>
    <td className="c-title">
      <SessionTitle row={row} act={act} />
    </td>
    <td
      className="c-agent t2 trunc"
      title={row.engine === row.agent ? undefined : visibleText(`${row.agent}, engine ${row.engine}`)}
    >
      {visibleText(row.agent)}
    </td>
    <td className="c-progress t2 small trunc num" title={visibleText(progressText(row))}>
      {visibleText(progressText(row))}
    </td>
    <td>
      <HealthCell row={row} />
    </td>
    <td className={`n${isCostHigh(row) ? ' warn medium' : ''}`}>
      <span className={rowCostText(row) === 'unknown' ? 't3' : ''}>{rowCostText(row)}</span>
    </td>
    <td className="c-events n t3">{countText(Number(eventNumber(row.lastEventId)))}</td>
    <td className="n t3">
      <Age at={row.updatedAt} />
    </td>
    <td className="row-action">
      <RowAction row={row} />
    </td>
  </tr>
))
