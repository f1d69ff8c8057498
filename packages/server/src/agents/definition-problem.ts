import type { AgentDefinition } from '@bridle/agents/agent'
import { scriptedIdentity } from '@bridle/agents/in-process/engine-identities'
import { modelSchemaProblem } from '@bridle/agents/tools/json-schema'
import { engineDescriptions } from '@bridle/runners/engine-table/descriptions'

/** Agent files may replace `assistant` and `voice`, but not these. */
export const builtInNames: readonly string[] = [scriptedIdentity.engine, ...engineDescriptions.map(({ name }) => name)]

/** Null if the agent can be served; otherwise a line that includes the fix. `taken` holds the reserved names. */
export const definitionProblem = (definition: AgentDefinition, taken: ReadonlySet<string>): string | null => {
  const { name } = definition
  if (!taken.has(name)) return modelSchemaProblem(definition)
  return `The name "${name}" is taken by an agent of the server. Choose another in this file, such as agent({ name: 'my-${name}', … }).`
}
