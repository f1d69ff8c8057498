// Where the agent's knowledge came from, what it proposes to remember, and what people accepted.

import { nameText, plural } from 'bridle/words'
import { useServer } from '../../server/server-context.tsx'
import { useLoaded } from '../../server/use-loaded.ts'
import { momentText } from '../../ui/clock.ts'
import { jsonText } from '../../ui/code.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { EventLink } from '../inspector/event-link.tsx'
import { useSession } from '../session-context.tsx'
import { Proposal } from './proposal.tsx'
import './memory.css'

export const Memory = () => {
  const { client } = useServer()
  const { id, agent, detail, reload, past } = useSession()
  const { memory_provenance: from } = detail.health
  const { memory_proposals: open } = detail
  const hasAny = from.retrievals + from.citations + from.proposals + open.length > 0
  // A decision changes the number of open proposals; the values follow it.
  // The values of then stay on the server, and those of now would be out of place in the past.
  const { data } = useLoaded(hasAny && !past ? `${id} ${agent} ${open.length} ${from.proposals}` : null, () =>
    client.memory(id, agent),
  )
  if (!hasAny) return null
  return (
    <section className="sec memory" aria-label="Memory">
      <h2>
        Memory<span className="t3">where knowledge came from</span>
      </h2>
      <p className="small t2">
        {plural(from.retrievals, 'retrieval')}, {plural(from.citations, 'citation')},{' '}
        {plural(from.proposals, 'proposal')}
      </p>
      {from.latest.length > 0 && (
        <ul className="col small">
          {from.latest.map(({ kind, event_id: event, summary }) => (
            <li key={event} className="row">
              <span className="t3 nowrap">{visibleText(nameText(kind))}</span>
              <span className="trunc" title={visibleText(summary)}>
                {visibleText(summary)}
              </span>
              <span className="right">
                <EventLink id={event} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {open.map((proposal) => (
        <Proposal key={proposal.id} proposal={proposal} onDecided={reload} />
      ))}
      {data && data.memory.length > 0 && (
        <>
          <h3 className="h3">Accepted</h3>
          <dl className="kv">
            {data.memory.map((value) => (
              <div key={value.key}>
                <dt className="mono">{visibleText(value.key)}</dt>
                <dd>
                  {visibleText(typeof value.value === 'string' ? value.value : jsonText(value.value))}
                  <span className="t3">
                    {value.acceptedBy !== null && ` · by ${visibleText(value.acceptedBy)}`}
                    {value.expiresAt !== null && ` · until ${momentText(value.expiresAt)}`}
                  </span>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  )
}
