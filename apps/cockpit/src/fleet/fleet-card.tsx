import type { SessionRow } from 'bridle/client'
import { useState } from 'react'
import { Link } from 'wouter'
import { LOW_SCORE } from '../sessions/limits.ts'
import { sessionPath } from '../shell/paths.ts'
import { Age } from '../ui/age.tsx'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Status } from '../ui/status.tsx'
import { BudgetMeters } from './budget-meters.tsx'
import { HealthReasons } from './health-reasons.tsx'
import { RecoveryAction } from './recovery-action.tsx'

interface FleetCardProps {
  readonly row: SessionRow
  /** The worst ones say why at once; the others when somebody asks. */
  readonly isOpen: boolean
}

/** A session that needs a look: how bad, why, how close to its budgets, and what helps. */
export const FleetCard = ({ row, isOpen }: FleetCardProps) => {
  const [isAsked, setAsked] = useState(false)
  const { health } = row
  if (!health) return null
  const tone = health.score < LOW_SCORE ? ' danger' : health.score < 100 ? ' warn' : ''
  return (
    <li className="fleet-card">
      <Link className={`score${tone}`} href={sessionPath(row, { tab: 'health' })} aria-label={`Health ${health.score}`}>
        {health.score}
      </Link>
      <div className="col fleet-about">
        <div className="row wrap fleet-head">
          <Link className="trunc medium" href={sessionPath(row, { tab: 'health' })}>
            {visibleText(row.title || row.id)}
          </Link>
          <Status status={row.status} />
          {health.flags.map((flag) => (
            <span key={flag} className="tag">
              {flag}
            </span>
          ))}
          <span className="t3 small trunc">
            {visibleText(row.agent)} · <Age at={row.updatedAt} />
          </span>
        </div>
        {row.last_error !== null && <p className="small danger reason">{visibleText(row.last_error)}</p>}
        {isOpen || isAsked ? (
          <HealthReasons row={row} />
        ) : (
          <div>
            <Button look="ghost" onClick={() => setAsked(true)}>
              Why
            </Button>
          </div>
        )}
      </div>
      <div className="col fleet-budgets">
        <BudgetMeters pressure={health.budget_pressure} />
      </div>
      <div className="col fleet-help">
        <RecoveryAction row={row} />
        {health.hint !== null && <p className="small t3">{visibleText(health.hint)}</p>}
      </div>
    </li>
  )
}
