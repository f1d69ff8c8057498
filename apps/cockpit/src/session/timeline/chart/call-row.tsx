// A row of the chart: a call with its bar, several of a kind, or the session of a subagent.
import { memo } from 'react'
import { Link } from 'wouter'
import { sessionPath } from '../../../shell/paths.ts'
import { Icon } from '../../../ui/icon.tsx'
import { callLook, callTitle } from '../../inspector/timeline/call-look.ts'
import type { CallsRow, ChildRow } from '../model/chart-rows.ts'
import { callBrief, callWords } from './call-words.ts'
import { percent, spanStyle } from './chart-context.tsx'

/** The words beside a bar stand on its right where it ends before this part, else on its left where it begins after that one. */
const WORDS_RIGHT_MAX = 0.72
const WORDS_LEFT_MIN = 0.12

interface RowProps<Row> {
  readonly row: Row
  readonly top: number
  /** The places of the bar in the window. */
  readonly from: number
  readonly to: number
  readonly now: number
  readonly isSelected: boolean
  readonly isOpen: boolean
  /** The one row that Tab reaches: the arrow keys reach the others. */
  readonly isTabStop: boolean
  readonly onPress: (row: CallsRow) => void
}

export const CallRow = memo(
  ({ row, top, from, to, now, isSelected, isOpen, isTabStop, onPress }: RowProps<CallsRow>) => {
    const { calls, key, partOf } = row
    const [call] = calls
    const { icon, word, tone, bar } = callLook(call)
    const { time, note } = callWords(calls, now)
    const isFold = calls.length > 1
    const classes = ['times-row', isSelected && 'sel', partOf !== null && 'part', call.isSuperseded && 'old']
    return (
      <button
        type="button"
        className={classes.filter(Boolean).join(' ')}
        style={{ top }}
        data-row={key}
        tabIndex={isTabStop ? 0 : -1}
        {...(isFold ? { 'aria-expanded': isOpen } : { 'aria-pressed': isSelected })}
        onClick={() => onPress(row)}
      >
        <span className="lab">
          <span className={`st ${tone}`} title={word}>
            <Icon name={icon} size={14} isSpinning={call.status === 'running'} />
            <span className="vh">{word}</span>
          </span>
          <code className="medium nowrap" title={callTitle(call)}>
            {callTitle(call)}
            {isFold && ` ×${calls.length}`}
          </code>
          <span className="trunc mono t3 brief">{callBrief(calls)}</span>
        </span>
        <span className="trk">
          <Bar from={from} to={to} look={bar} />
          <BarWords from={from} to={to}>
            {time} <span className="t3">{note}</span>
          </BarWords>
        </span>
      </button>
    )
  },
)

const Bar = ({ from, to, look }: { readonly from: number; readonly to: number; readonly look: string }) => {
  const style = spanStyle(from, to)
  return style && <i className={look} style={style} />
}

/** Words stand where the bar leaves room: behind it, before it, or on it where it is nearly as long as the axis. */
const BarWords = ({
  from,
  to,
  children,
}: {
  readonly from: number
  readonly to: number
  readonly children: React.ReactNode
}) => {
  if (to < 0 || from > 1) return null
  if (to <= WORDS_RIGHT_MAX)
    return (
      <b
        className="num"
        style={{ left: `calc(max(${percent(Math.max(0, to))}, ${percent(Math.max(0, from))} + 3px) + 4px)` }}
      >
        {children}
      </b>
    )
  const style =
    from >= WORDS_LEFT_MIN
      ? { right: `calc(${percent(1 - from)} + 4px)`, maxWidth: `calc(${percent(from)} - 4px)` }
      : { left: `calc(${percent(Math.max(0, from))} + 6px)` }
  return (
    <b className="num" style={style}>
      {children}
    </b>
  )
}

export const ChildSessionRow = ({
  row,
  top,
  from,
  to,
  isTabStop,
}: Pick<RowProps<ChildRow>, 'row' | 'top' | 'from' | 'to' | 'isTabStop'>) => (
  <Link
    href={sessionPath(row.child, { view: 'timeline' })}
    className="times-row"
    style={{ top }}
    data-row={row.key}
    tabIndex={isTabStop ? 0 : -1}
  >
    <span className="lab">
      <Icon name="corner-down-right" size={14} />
      <span className="trunc">Open its session</span>
    </span>
    <span className="trk">{row.givenBy && <Bar from={from} to={to} look="sub" />}</span>
  </Link>
)
