import type { SessionRow } from 'bridle/client'
import { adviceText } from 'bridle/words'
import { useState } from 'react'
import { Link } from 'wouter'
import { isNearBudget, NEAR_BUDGET } from '../session/health/finding-text.ts'
import { LOW_SCORE } from '../session/health/score.tsx'
import { SessionStatus } from '../sessions/session-status.tsx'
import { sessionPath } from '../shell/paths.ts'
import { Age } from '../ui/age.tsx'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { titleText } from '../ui/script-text.ts'
import { BudgetMeters } from './budget-meters.tsx'
import { HealthReasons } from './health-reasons.tsx'
import { RecoveryAction } from './recovery-action.tsx'

interface FleetCardProps {
  readonly row: SessionRow
  /** The worst ones say why at once; the others when somebody asks. */
  readonly isOpen: boolean
  /** The worst of all: what helps it is the main action of the page. */
  readonly isWorst: boolean
}

/** A session that needs a look: how bad, why, how close to its budgets, and what helps. */
export const FleetCard = ({ row, isOpen, isWorst }: FleetCardProps) => {
  const [isAsked, setAsked] = useState(false)
  const { health } = row
  if (!health) return null
  const more = adviceText(health.recovery_action, health.hint)
  const tone = health.score <= LOW_SCORE ? ' danger' : health.score < 100 ? ' warn' : ''
  return (
    <li className="fleet-card">
      <Link className={`score${tone}`} href={sessionPath(row, { tab: 'health' })} aria-label={`Health ${health.score}`}>
        {health.score}
      </Link>
      <div className="col fleet-about">
        <div className="row wrap fleet-head">
          <Link className="trunc medium" href={sessionPath(row, { tab: 'health' })}>
            {visibleText(titleText(row))}
          </Link>
          <SessionStatus row={row} />
          {health.flags.map((flag) => (
            <span key={flag} className="tag">
              {flag}
            </span>
          ))}
          {isNearBudget(health) && <span className="tag">{NEAR_BUDGET}</span>}
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
        <BudgetMeters pressure={health.budget_pressure} costUsd={row.usage?.cost_usd ?? null} />
      </div>
      <div className="col fleet-help">
        <RecoveryAction row={row} look={isWorst ? 'primary' : 'plain'} />
        {more !== '' && <p className="small t3">{visibleText(more)}</p>}
      </div>
    </li>
  )
}
