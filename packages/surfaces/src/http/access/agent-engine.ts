// The engine behind an agent, for lists and messages that have only its name.
import type { EngineIdentity } from '@bridle/kernel/engine-info'
import type { ListFilter } from '@bridle/kernel/ports/directory'

/** An agent written in TypeScript; the engine has this name on every wire. */
export const NATIVE_ENGINE = 'native'

/** Sessions outlive agents. An agent that the server no longer lists was a file in its folder: built-in agents never leave the list. */
export const engineOf = (agents: ReadonlyMap<string, EngineIdentity>, agent: string): EngineIdentity =>
  agents.get(agent) ?? { engine: NATIVE_ENGINE, runnerKind: 'in_process' }

/** The agents of an engine, as a filter of lists. Agents that the server no longer lists count as native. */
export const agentsOfEngine = (
  agents: ReadonlyMap<string, EngineIdentity>,
  engine: string,
): Pick<ListFilter, 'agents' | 'otherAgents'> => {
  const namesWhere = (isOurs: boolean) =>
    [...agents].filter(([, each]) => (each.engine === engine) === isOurs).map(([name]) => name)
  return engine === NATIVE_ENGINE ? { otherAgents: namesWhere(false) } : { agents: namesWhere(true) }
}
