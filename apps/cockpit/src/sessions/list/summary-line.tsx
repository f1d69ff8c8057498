import type { SessionRow } from 'bridle/client'
import { costText, statusWords } from 'bridle/words'
import { Link } from 'wouter'
import { useLive } from '../../server/server-context.tsx'

const count = (rows: readonly SessionRow[], status: string): number =>
  rows.filter((row) => row.status === status).length

/**
 * The state of the house in one line, whatever the filters: what needs a person, is at work, went wrong, and what it cost. Every number is
 * of the same sessions, those that the page has loaded. A number of one status leads to its sessions.
 */
export const SummaryLine = () => {
  const rows = useLive((state) => state.sessions)
  const hasMore = useLive((state) => state.hasMore)
  const isLoaded = useLive((state) => state.isLoaded)
  const costs = rows.flatMap(({ usage }) => (typeof usage?.cost_usd === 'number' ? [usage.cost_usd] : []))
  const waiting = count(rows, 'awaiting_approval')
  const running = rows.filter(({ status }) => statusWords(status).isWorking).length
  const failed = count(rows, 'failed')
  // Zeros would be a claim about sessions that nobody has counted yet.
  if (!isLoaded) return <p className="sum">Loading</p>
  return (
    <p className="sum">
      <Link href="/?status=awaiting_approval">
        <b className={`num${waiting > 0 ? ' warn' : ''}`}>{waiting}</b> {waiting === 1 ? 'needs you' : 'need you'}
      </Link>
      <span>
        <b className="num">{running}</b> running
      </span>
      <Link href="/?status=paused">
        <b className="num">{count(rows, 'paused')}</b> paused
      </Link>
      <Link href="/?status=failed">
        <b className={`num${failed > 0 ? ' danger' : ''}`}>{failed}</b> failed
      </Link>
      {costs.length > 0 && (
        <span className="no-phone" title="Of the sessions whose engine tells a cost">
          <b className="num">{costText(costs.reduce((sum, cost) => sum + cost, 0))}</b>{' '}
          {hasMore ? `in the newest ${rows.length}` : 'in all'}
        </span>
      )}
    </p>
  )
}
