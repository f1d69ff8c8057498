import type { EngineIdentity } from '@bridle/kernel/engine-info'
import type { ListFilter } from '@bridle/kernel/ports/directory'

/** Engine name of agents written in TypeScript, on every wire. */
export const NATIVE_ENGINE = 'native'

/** Sessions outlive agents. An unlisted agent must have been a file, because built-in agents are always listed. */
export const engineOf = (agents: ReadonlyMap<string, EngineIdentity>, agent: string): EngineIdentity =>
  agents.get(agent) ?? { engine: NATIVE_ENGINE, runnerKind: 'in_process' }

/** Agents that are no longer listed count as native. */
export const agentsOfEngine = (
  agents: ReadonlyMap<string, EngineIdentity>,
  engine: string,
): Pick<ListFilter, 'agents' | 'otherAgents'> => {
  const namesWhere = (isOurs: boolean) =>
    [...agents].filter(([, each]) => (each.engine === engine) === isOurs).map(([name]) => name)
  return engine === NATIVE_ENGINE ? { otherAgents: namesWhere(false) } : { agents: namesWhere(true) }
}
