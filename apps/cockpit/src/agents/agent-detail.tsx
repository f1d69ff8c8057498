import type { AgentDescription } from 'bridle/client'
import { nameText } from 'bridle/words'
import { Icon } from '../ui/icon.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { EngineReport } from './engine-report.tsx'
import { RecentSessions } from './recent-sessions.tsx'
import { TryBox } from './try/try-box.tsx'

export const AgentDetail = ({ agent }: { readonly agent: AgentDescription }) => (
  <div className="agent-detail">
    <div className="agent-main">
      <section className="sec">
        <div className="row wrap">
          <h2 className="agent-name">{visibleText(agent.name)}</h2>
          <Availability agent={agent} />
          <span className="tag">{visibleText(agent.engine)}</span>
          <span className="tag">{nameText(agent.runner_kind)}</span>
          {agent.triggers.webhook && <span className="tag">webhook</span>}
          <PrivateTag agent={agent} />
        </div>
        {agent.description !== '' && <p className="t2">{visibleText(agent.description)}</p>}
        {agent.closed !== undefined && (
          <p className="agent-note t2">
            <Icon name="shield" size={14} /> <span>{visibleText(agent.closed)}</span>
          </p>
        )}
        {agent.needs !== undefined && (
          <p className="agent-note warn">
            <Icon name="triangle-alert" size={14} /> <span>{visibleText(agent.needs)}</span>
          </p>
        )}
        {agent.warnings?.map((warning) => (
          <p key={warning} className="agent-note warn">
            <Icon name="circle-alert" size={14} /> <span>{visibleText(warning)}</span>
          </p>
        ))}
      </section>
      {/* The server refuses every run of a private agent, this page's too; the words above say what opens it. */}
      {agent.closed === undefined && (
        <section className="sec">
          <h2>Try it</h2>
          <TryBox agent={agent} />
        </section>
      )}
    </div>
    <div className="agent-side">
      <section className="sec">
        <h2>Recent sessions</h2>
        <RecentSessions agent={agent.name} />
      </section>
      <section className="sec">
        <h2>What its engine can report</h2>
        <EngineReport capabilities={agent.capabilities} />
      </section>
    </div>
  </div>
)

export const Availability = ({ agent }: { readonly agent: AgentDescription }) => (
  <span className={`st ${agent.available ? 'done' : 'late'}`}>
    <Icon name={agent.available ? 'circle-check' : 'circle-alert'} size={14} />
    {agent.available ? 'Ready' : 'Not ready'}
  </span>
)

/** Marks an agent that callers may not run in production; the server's own words say what opens it. */
export const PrivateTag = ({ agent: { closed } }: { readonly agent: AgentDescription }) =>
  closed !== undefined && (
    <span className="tag" title={visibleText(closed)}>
      Private
    </span>
  )
