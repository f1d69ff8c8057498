import type { SessionRow } from 'bridle/client'
import { Link } from 'wouter'
import { LOW_SCORE } from '../../session/health/score.tsx'
import { sessionPath } from '../../shell/paths.ts'
import { visibleText } from '../../ui/plain-text.ts'
import { shownFlags } from './row-words.ts'

/** The score and the flags; both lead to the reasons. */
export const HealthCell = ({ row }: { readonly row: SessionRow }) => {
  if (!row.health) return <span className="t3">no report</span>
  const { score, hint } = row.health
  return (
    <span className="row health-cell">
      <Link
        className={`num medium${score <= LOW_SCORE ? ' danger' : ''}`}
        href={sessionPath(row, { tab: 'health' })}
        {...(hint !== null && { title: visibleText(hint) })}
        aria-label={`Health ${score}`}
      >
        {score}
      </Link>
      {shownFlags(row).map((flag) => (
        <span key={flag} className="tag">
          {flag}
        </span>
      ))}
    </span>
  )
}
