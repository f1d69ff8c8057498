// The agents of the server: what each needs, its input as a form, a box to try it, its recent sessions.
import { Link } from 'wouter'
import { useServer } from '../server/server-context.tsx'
import { useLoaded } from '../server/use-loaded.ts'
import { agentPath } from '../shell/paths.ts'
import { TopBar } from '../shell/top-bar.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Screen } from '../ui/screen.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useIsPhone } from '../ui/use-is-phone.ts'
import { AgentDetail, Availability, PrivateTag } from './agent-detail.tsx'
import './agents.css'

const AgentsPage = ({ agent: name }: { readonly agent: string | null }) => {
  const { client } = useServer()
  const isPhone = useIsPhone()
  const { data, error } = useLoaded('agents', () => client.agents())
  const agents = data?.agents ?? []
  // On a phone the list and the agent are two pages; elsewhere the first agent is open beside the list.
  const chosen = name === null ? (isPhone ? undefined : agents[0]) : agents.find((agent) => agent.name === name)
  return (
    <>
      <TopBar>
        {name === null ? (
          <h1>Agents</h1>
        ) : (
          <>
            <Link href="/try">Agents</Link>
            <span className="sep">/</span>
            <h1 className="trunc">{visibleText(name)}</h1>
          </>
        )}
      </TopBar>
      <div className="page agents-page">
        {(!isPhone || name === null) && (
          <nav className="agents-list scroll" aria-label="Agents">
            {agents.map((agent) => (
              <Link
                key={agent.name}
                href={agentPath(agent.name)}
                aria-current={agent.name === chosen?.name ? 'page' : undefined}
              >
                <span className="row">
                  <span className="trunc medium grow">{visibleText(agent.name)}</span>
                  <PrivateTag agent={agent} />
                  <Availability agent={agent} />
                </span>
                <span className="small t3 agent-line">{visibleText(agent.needs ?? agent.description)}</span>
              </Link>
            ))}
          </nav>
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a place that scrolls must be reachable by key */}
        <section className="scroll grow agent-pane" aria-label={chosen?.name ?? 'Agent'} tabIndex={0}>
          {!data && !error && <Skeleton />}
          {error && (
            <Screen icon="triangle-alert" title="The agents could not be loaded">
              <p>{visibleText(error.message)}</p>
            </Screen>
          )}
          {chosen && <AgentDetail key={chosen.name} agent={chosen} />}
          {data && name !== null && !chosen && (
            <Screen icon="search-x" title={`This server has no agent “${visibleText(name)}”`}>
              <p>
                <Link href="/try">All agents</Link> of this server are one click away.
              </p>
            </Screen>
          )}
        </section>
      </div>
    </>
  )
}

export default AgentsPage
