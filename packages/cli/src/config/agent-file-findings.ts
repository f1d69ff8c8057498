import type { AgentDefinition } from '@bridle/agents/agent'
import { engineDescriptions } from '@bridle/runners/engine-table/descriptions'
import { builtInNames, definitionProblem } from '@bridle/server/agents/definition-problem'
import { engineSetup } from '@bridle/server/agents/engine-setup'
import { findAgents } from '@bridle/server/agents/folder'
import { instructionsReader } from '@bridle/server/agents/instructions-file'
import { withGuard } from '@bridle/server/agents/trust/guarded-loading'
import { createModelSource, type ModelEnv, modelNeeds } from '@bridle/server/models/model-source'
import { nodePackages, packagesFolder } from '@bridle/server/models/node-packages'
import type { ServerOptions } from '@bridle/server/node/index'
import type { DoctorFinding } from '../commands/doctor.ts'
import { DEFAULT_DATA } from './default-data.ts'

type AgentSettings = Pick<ServerOptions, 'agents' | 'agentsRoot' | 'builtInAgents' | 'models' | 'data'>

/** The server refuses the same files. A name already in use is the least visible mistake: the server's own agent answers. */
export const agentFileFindings = async (settings: AgentSettings, env: ModelEnv): Promise<DoctorFinding[]> => {
  const { agents, agentsRoot = '.', builtInAgents, models, data = DEFAULT_DATA } = settings
  if (agentsRoot === false) return []
  const given = typeof agents === 'string' ? [] : (agents ?? []).map(({ name }) => name)
  const taken = new Set([...builtInNames.filter((name) => builtInAgents?.includes(name) ?? true), ...given])
  const { missing } = createModelSource({ models, env, packages: nodePackages(packagesFolder(agents, agentsRoot)) })
  const needsOfModel = ({ model }: AgentDefinition) => model && modelNeeds(model, missing)
  const files = await withGuard(agentsRoot, data, () => findAgents(agentsRoot, agents))
  return files.map((found) => {
    const problem = 'definition' in found ? definitionProblem(found.definition, taken) : found.problem
    const check = `agent ${'definition' in found ? found.definition.name : found.name}`
    if (problem !== null) return { check, state: 'wrong', detail: `${found.file}: ${problem}` }
    const definition = 'definition' in found ? found.definition : null
    const needs = definition && (engineNeeds(definition, agentsRoot) ?? needsOfModel(definition))
    return needs === null
      ? { check, state: 'ok', detail: found.file }
      : { check, state: 'note', detail: `not available: ${needs}` }
  })
}

/** The engine itself is another finding. */
const engineNeeds = (definition: AgentDefinition, root: string): string | null => {
  const description = engineDescriptions.find(({ name }) => name === definition.engine?.name)
  return description ? engineSetup(description, {}, definition, instructionsReader(root)).problem : null
}
