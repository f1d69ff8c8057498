// The files of agents in this folder, as `bridle doctor` judges them.
import { builtInNames, definitionProblem } from '../../targets/agents/definition-problem.ts'
import { findAgents } from '../../targets/agents/folder.ts'
import type { ServerOptions } from '../../targets/node/index.ts'
import type { DoctorFinding } from '../commands/doctor.ts'

type AgentSettings = Pick<ServerOptions, 'agents' | 'agentsRoot' | 'builtInAgents'>

/** A server refuses the same files. A name that the server has already is the mistake that shows least: its own agent answers. */
export const agentFileFindings = async (settings: AgentSettings): Promise<DoctorFinding[]> => {
  const { agents, agentsRoot = '.', builtInAgents } = settings
  if (agentsRoot === false) return []
  const given = typeof agents === 'string' ? [] : (agents ?? []).map(({ name }) => name)
  const taken = new Set([...builtInNames.filter((name) => builtInAgents?.includes(name) ?? true), ...given])
  return (await findAgents(agentsRoot, agents)).map((found) => {
    const problem = 'definition' in found ? definitionProblem(found.definition, taken) : found.problem
    const check = `agent ${'definition' in found ? found.definition.name : found.name}`
    return problem === null
      ? { check, state: 'ok', detail: found.file }
      : { check, state: 'wrong', detail: `${found.file}: ${problem}` }
  })
}
