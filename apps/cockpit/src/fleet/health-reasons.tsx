import type { SessionRow } from 'bridle/client'
import { Fragment } from 'react'
import { Link } from 'wouter'
import { useServer } from '../server/server-context.tsx'
import { useLoaded } from '../server/use-loaded.ts'
import { eventNumber } from '../sessions/list/row-words.ts'
import { sessionPath } from '../shell/paths.ts'
import { visibleText } from '../ui/plain-text.ts'

/** The findings behind a score, in the server's words, with the events that show them. Asked again when the score changes. */
export const HealthReasons = ({ row }: { readonly row: SessionRow }) => {
  const { client } = useServer()
  const { id, agent, health, status } = row
  const key = `${agent}/${id} ${status} ${health?.score} ${health?.flags.join()}`
  const { data, error } = useLoaded(key, () => client.sessionHealth(id, agent))
  if (error) return <p className="small danger">{visibleText(error.message)}</p>
  if (!data) return null
  const points = new Map(data.penalties.map(({ reason, points: lost }) => [reason, lost]))
  // The heaviest first: a flag without points explains the status, not the score.
  const reasons = data.reasons.toSorted((one, other) => (points.get(other) ?? 0) - (points.get(one) ?? 0))
  const evidence = new Map([...data.risk_flags, ...data.penalties].map((finding) => [finding.reason, finding.evidence]))
  return (
    <div className="why">
      {reasons.map((reason) => (
        <Fragment key={reason}>
          <span className={points.has(reason) ? 'num danger medium' : 'num t3'}>
            {points.has(reason) ? `−${points.get(reason)}` : '0'}
          </span>
          <span className="t2 reason">{visibleText(reason)}</span>
          <span className="row">
            {(evidence.get(reason) ?? []).map((event) => (
              <Link key={event} className="num" href={sessionPath(row, { event })} aria-label={`Event ${event}`}>
                {eventNumber(event)}
              </Link>
            ))}
          </span>
        </Fragment>
      ))}
    </div>
  )
}
