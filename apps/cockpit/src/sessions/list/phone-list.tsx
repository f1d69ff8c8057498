import type { SessionRow } from 'bridle/client'
import { Link } from 'wouter'
import { useLive } from '../../server/server-context.tsx'
import { sessionPath } from '../../shell/paths.ts'
import { Age } from '../../ui/age.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { titleText } from '../../ui/script-text.ts'
import { Status, statusLook } from '../../ui/status.tsx'
import { shownStatus } from '../shown-status.ts'
import { rowKey } from './row-order.ts'
import { failureText, isCostHigh, rowCostText } from './row-words.ts'

/** Two lines for each session: what it is, and how it stands. */
export const PhoneList = ({ rows }: { readonly rows: readonly SessionRow[] }) => {
  const approvals = useLive((state) => state.approvals)
  return (
    <ul className="phone-list">
      {rows.map((row) => {
        const status = shownStatus(row, approvals)
        const { word, tone } = statusLook(status)
        return (
          <li key={rowKey(row)} data-row={rowKey(row)}>
            <Link className="pc" href={sessionPath(row)} data-row-link="">
              <Status status={status} isIconOnly />
              <span className="trunc medium">{visibleText(titleText(row))}</span>
              <span className="small t3">
                <Age at={row.updatedAt} />
              </span>
              <span className="sub">
                <span className="trunc">
                  <span className={`st ${tone}`}>{word}</span> · {visibleText(failureText(row) || row.agent)}
                </span>
                {row.health && <span className="right num nowrap">health {row.health.score}</span>}
                <span className={`num nowrap${isCostHigh(row) ? ' warn' : ''}`}>
                  {rowCostText(row) === 'unknown' ? 'cost unknown' : rowCostText(row)}
                </span>
              </span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
