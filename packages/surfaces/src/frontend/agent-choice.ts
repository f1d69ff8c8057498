import { type AgentInfo, unavailability } from '@bridle/kernel/agent-info'
import { NATIVE_ENGINE } from '../http/access/agent-engine.ts'
import { refusePrivateAgent } from '../http/access/exposure.ts'
import { unknownAgent } from '../http/access/unknown-agent.ts'
import { badRequest, Denial, isDenial } from '../http/denials/denial.ts'
import { optionalText } from '../http/requests/request-fields.ts'
import type { RouteCall } from '../http/router/route.ts'

export const agentFields = {
  engine: optionalText('The engine of the agent, where `agent` names none.'),
  agent: optionalText('The agent. Default: the server’s default agent.'),
}

/** Precedence: the named agent, the engine's agent, the server's default. */
export const chooseAgent = (
  { access, ports }: Pick<RouteCall<unknown, unknown>, 'access' | 'ports'>,
  { engine, agent: agentName }: { readonly engine?: string | undefined; readonly agent?: string | undefined },
): AgentInfo | Denial => {
  const name = agentName ?? (engine === NATIVE_ENGINE ? nativeAgent(ports) : engine) ?? ports.defaultAgent
  if (isDenial(name)) return name
  const agent = ports.agents.get(name)
  // An agent name is not an engine. Confirming a guess here would reveal that a private agent exists.
  if (agentName === undefined && name === engine && agent?.engine !== engine)
    return badRequest(`body: engine: ${noSuchEngine(engine, ports)}`)
  if (!agent)
    return badRequest(`body: ${agentName === undefined ? 'engine' : 'agent'}: ${unknownAgent(name, { access, ports })}`)
  if (engine !== undefined && agent.engine !== engine)
    return badRequest(`body: engine: The agent "${name}" runs on ${agent.engine}`)
  const closed = refusePrivateAgent({ access, ports }, agent.name)
  if (closed) return closed
  const unavailable = unavailability(agent)
  return unavailable === null ? agent : new Denial('unavailable', unavailable)
}

const noSuchEngine = (engine: string, { agents }: Pick<RouteCall<unknown, unknown>['ports'], 'agents'>): string =>
  `There is no engine "${engine}". Name one of: ${[...new Set([...agents.values()].map((agent) => agent.engine))].join(', ')}; the name of an agent belongs in "agent"`

/** The operator's default agent if it is written in TypeScript, otherwise the only such agent. */
const nativeAgent = ({
  agents,
  defaultAgent,
}: Pick<RouteCall<unknown, unknown>['ports'], 'agents' | 'defaultAgent'>) => {
  const own = [...agents.values()].filter(({ engine, isDefault }) => engine === NATIVE_ENGINE && !isDefault)
  const names = own.map(({ name }) => name).toSorted()
  const [only, ...others] = names
  if (agents.get(defaultAgent)?.engine === NATIVE_ENGINE) return defaultAgent
  if (only === undefined)
    return badRequest('body: engine: This server has no agent of its own. Put one into its folder agents/.')
  if (others.length === 0) return only
  return badRequest(
    `body: engine: This server has several agents of its own: ${names.join(', ')}. Name one as "agent", or have the operator name one as BRIDLE_AGENT.`,
  )
}
