// The knowledge and the means of the agent: its context, its sources, its memory, its model. A part without data is left out.
import { nameText } from 'bridle/words'
import { Link } from 'wouter'
import { sessionPath } from '../../../shell/paths.ts'
import { visibleText } from '../../../ui/plain-text.ts'
import { Memory } from '../../memory/memory.tsx'
import { useSession } from '../../session-context.tsx'
import { EventLink } from '../event-link.tsx'
import { Facts } from '../facts.tsx'
import { Citations } from './citations.tsx'
import { ContextWindow } from './context-window.tsx'
import { Instructions } from './instructions.tsx'
import { looseFacts } from './loose-facts.ts'

export const ContextTab = () => (
  <>
    <ContextWindow />
    <Citations />
    <ContextPack />
    <Instructions />
    <Guardrail />
    <Memory />
    <Runtime />
    <Subagents />
  </>
)

const ContextPack = () => {
  const pack = useSession().detail.context_pack
  const facts = looseFacts(pack)
  if (!pack || facts.length === 0) return null
  return (
    <section className="sec" aria-label="Context pack">
      <h2>
        Context pack
        <span className="right">
          <EventLink id={pack.event_id} />
        </span>
      </h2>
      <Facts facts={facts} />
    </section>
  )
}

const Guardrail = () => {
  const { guardrail } = useSession().detail
  const facts = looseFacts(guardrail)
  if (!guardrail || facts.length === 0) return null
  return (
    <section className="sec" aria-label="Guardrail">
      <h2>
        Guardrail
        <span className="right">
          <EventLink id={guardrail.event_id} />
        </span>
      </h2>
      <Facts facts={facts} />
    </section>
  )
}

const Runtime = () => {
  const { detail } = useSession()
  const { capabilities } = detail
  return (
    <section className="sec" aria-label="Runtime">
      <h2>Runtime</h2>
      <Facts
        facts={[
          ['Agent', detail.agent],
          ['Engine', `${detail.engine}${capabilities ? ` ${capabilities.version}` : ''}`],
          ['Runner', nameText(detail.runner_kind)],
          ['Provider', detail.provider ?? 'unknown'],
          ['Model', detail.model ?? 'unknown'],
          ['Thinking', detail.think_level],
          ['Permissions', nameText(detail.permission_mode)],
          ['Approvals', nameText(detail.approval_mode)],
          ['Decided by', detail.policy_path],
          ['Sandbox', detail.sandbox_mode],
          ['Isolation', detail.sandbox_isolation],
          ['Process', detail.process_id],
          ['Parent', detail.parent_session_id],
          ['Task graph', detail.task_graph_id],
        ]}
      />
    </section>
  )
}

const Subagents = () => {
  const { subagents } = useSession().detail
  if (subagents.length === 0) return null
  return (
    <section className="sec" aria-label="Subagents">
      <h2>
        Subagents<span className="t3">{subagents.length}</span>
      </h2>
      <ul className="col small">
        {subagents.map(({ agent_id: id, status, event_id: event, agent, session_id: child }) => (
          <li key={id} className="row">
            {typeof child === 'string' && typeof agent === 'string' ? (
              <Link className="trunc" href={sessionPath({ id: child, agent })}>
                {visibleText(agent)}
              </Link>
            ) : (
              <span className="trunc">{visibleText(typeof agent === 'string' ? agent : id)}</span>
            )}
            <span className="t3 nowrap">{visibleText(status)}</span>
            <span className="right">
              <EventLink id={event} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
