// Agents that come with the middleware of a served agent: their definitions are found from its definition, by name.
import type { AgentDefinition } from '../agent.ts'
import type { ChildAgent } from '../middleware/middleware.ts'

export const childAgentsOf = ({ use }: AgentDefinition): readonly ChildAgent[] =>
  use.flatMap(({ agents = [] }) => agents)

export const childAgentOf = (definition: AgentDefinition, tool: string): ChildAgent | undefined =>
  childAgentsOf(definition).find((each) => each.tool === tool)

export const childAgentName = (parent: string, { name }: Pick<ChildAgent, 'name'>): string =>
  `${parent}${SEPARATOR}${name}`

/** The definition behind the name of a child's agent. `served` gives the agents that have a name of their own. */
export const findChildAgent = (
  name: string,
  served: (name: string) => AgentDefinition | undefined,
): AgentDefinition | undefined => {
  // Names of agents may have the separator in them, too.
  for (let end = name.indexOf(SEPARATOR); end >= 0; end = name.indexOf(SEPARATOR, end + 1)) {
    const definition = served(name.slice(0, end))
    const found = definition && descendant(definition, name.slice(end + 1))
    if (found) return found
  }
  return undefined
}

const descendant = (definition: AgentDefinition, path: string): AgentDefinition | undefined => {
  for (const { name, agent } of childAgentsOf(definition)) {
    if (path === name) return agent
    const found = path.startsWith(name + SEPARATOR) ? descendant(agent, path.slice(name.length + 1)) : undefined
    if (found) return found
  }
  return undefined
}

const SEPARATOR = '.'
