import { Link } from 'wouter'
import { useServer } from '../server/server-context.tsx'
import { useLoaded } from '../server/use-loaded.ts'
import { agentPath } from '../shell/paths.ts'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'

/** The agents of the server, each with what it needs in the server's own words. */
export const AgentCards = () => {
  const { client } = useServer()
  const { data } = useLoaded('agents', () => client.agents())
  if (!data) return null
  return (
    <section aria-labelledby="agents-here">
      <h2 className="h3" id="agents-here">
        Agents on this server
      </h2>
      <ul className="agent-cards">
        {data.agents.map(({ name, description, available, needs }) => (
          <li key={name} className="card">
            <div className="row">
              <Icon name="bot" />
              <Link href={agentPath(name)} className="medium grow trunc">
                {visibleText(name)}
              </Link>
              <span className={`st ${available ? 'done' : 'needs'}`}>
                <Icon name={available ? 'circle-check' : 'key-round'} size={14} />
                {available ? 'ready' : 'not ready'}
              </span>
            </div>
            <p className="small t3">{visibleText(needs ?? description)}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
