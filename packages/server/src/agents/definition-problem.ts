import type { AgentDefinition } from '@bridle/agents/agent'
import type { EngineAgent } from '@bridle/agents/engine-agent'
import { scriptedIdentity } from '@bridle/agents/in-process/engine-identities'
import { modelSchemaProblem } from '@bridle/agents/tools/json-schema'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { engineDescriptions } from '@bridle/runners/engine-table/descriptions'
import { effortChoiceProblem } from '@bridle/runners/engines/models'

/** Agent files may replace `assistant` and `voice`, but not these. */
export const builtInNames: readonly string[] = [scriptedIdentity.engine, ...engineDescriptions.map(({ name }) => name)]

/** Null if the agent can be served; otherwise a line that includes the fix. `taken` holds the reserved names. */
export const definitionProblem = (definition: AgentDefinition, taken: ReadonlySet<string>): string | null => {
  const { name, engine } = definition
  if (!taken.has(name)) return engine ? engineProblem(engine) : modelSchemaProblem(definition)
  return `The name "${name}" is taken by an agent of the server. Choose another in this file, such as agent({ name: 'my-${name}', … }).`
}

const engineProblem = ({ name, effort }: EngineAgent): string | null => {
  const description = engineDescriptions.find((each) => each.name === name)
  if (description) return effort === undefined ? null : effortChoiceProblem(description.efforts)(effort)
  const names = engineDescriptions.map((each) => each.name)
  const near = nearestName(name, names)
  return `There is no engine "${name}". ${near === null ? `There are: ${names.join(', ')}.` : `Did you mean "${near}"?`}`
}
