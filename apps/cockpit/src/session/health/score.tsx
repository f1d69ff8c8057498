// The score, and everything that lowered it, in the server's own words with the events that show it.
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { EventLink } from '../inspector/event-link.tsx'
import type { Health } from './budget-values.ts'
import { findingText } from './finding-text.ts'

/** A score of this or less is shown as bad: half of all points are lost. */
export const LOW_SCORE = 50

/** A score of this or more is good: nothing but small things were found. */
export const GOOD_SCORE = 80

export const Score = ({ health }: { readonly health: Health }) => {
  const { score, penalties, risk_flags: flags } = health
  // A flag whose finding costs points is among the reasons already.
  const free = flags.filter((flag) => !penalties.some(({ reason }) => reason === flag.reason))
  const names = [...new Set(flags.map(({ flag }) => flag))]
  return (
    <>
      <div className="score-head row">
        <span className="score" aria-label={`Health ${score} of 100`} role="img">
          {score}
        </span>
        <span className="col">
          <span className="medium">{findingText(health)}</span>
          <span className="small t3">
            of 100{names.length > 0 && ` · ${names.length === 1 ? 'flag' : 'flags'}: ${visibleText(names.join(', '))}`}
          </span>
        </span>
      </div>
      {penalties.length + free.length > 0 && (
        <ul className="why-list">
          {penalties.map(({ points, reason, evidence }) => (
            <Reason key={reason} points={points} reason={reason} evidence={evidence} />
          ))}
          {free.map(({ flag, reason, evidence }) => (
            <Reason key={`${flag} ${reason}`} points={0} reason={reason} evidence={evidence} />
          ))}
        </ul>
      )}
    </>
  )
}

interface ReasonProps {
  readonly points: number
  readonly reason: string
  readonly evidence: readonly string[]
}

const Reason = ({ points, reason, evidence }: ReasonProps) => (
  <li className="why">
    <span className={points > 0 ? 'num danger' : 'num t3'}>{points > 0 ? `−${points}` : '0'}</span>
    <span>{visibleText(reason)}</span>
    <span className="row">
      {evidence.map((id) => (
        <EventLink key={id} id={id} />
      ))}
    </span>
  </li>
)

/** The ring of the wide view: the score as a part of a circle. */
export const ScoreRing = ({ score }: { readonly score: number }) => {
  const length = 2 * Math.PI * 31
  const tone = score >= GOOD_SCORE ? 'ok' : score > LOW_SCORE ? 'warn' : 'danger'
  return (
    <svg className={`ring ${tone}`} viewBox="0 0 72 72" role="img" aria-label={`Health ${score} of 100`}>
      <circle cx="36" cy="36" r="31" />
      <circle className="part" cx="36" cy="36" r="31" strokeDasharray={`${(length * score) / 100} ${length}`} />
      <text x="36" y="44" textAnchor="middle">
        {score}
      </text>
    </svg>
  )
}

export const RaisedFlags = ({ flags }: { readonly flags: readonly string[] }) => (
  <span className="row wrap">
    {flags.map((flag) => (
      <span key={flag} className={`st pill ${flag === 'waiting' ? 'needs' : 'late'}`}>
        <Icon name={flag === 'waiting' ? 'shield-alert' : 'triangle-alert'} size={14} />
        {visibleText(flag)}
      </span>
    ))}
  </span>
)
