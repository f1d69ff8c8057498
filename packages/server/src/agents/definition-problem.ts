// Why a server refuses the agent of a file that loads well: the same answer for the server and for `bridle doctor`.
import type { AgentDefinition } from '@bridle/agents/agent'
import { scriptedIdentity } from '@bridle/agents/in-process/engine-identities'
import { modelSchemaProblem } from '@bridle/agents/tools/json-schema'
import { engineDescriptions } from '@bridle/runners/engine-table/descriptions'

/** The agents of the package that no file replaces. A file may replace the others, `assistant` and `voice`. */
export const builtInNames: readonly string[] = [scriptedIdentity.engine, ...engineDescriptions.map(({ name }) => name)]

/** In one line, with what to do; null = the agent can be served. `taken` are the names that no file may have. */
export const definitionProblem = (definition: AgentDefinition, taken: ReadonlySet<string>): string | null => {
  const { name } = definition
  if (!taken.has(name)) return modelSchemaProblem(definition)
  return `The name "${name}" is taken by an agent of the server. Choose another in this file, such as agent({ name: 'my-${name}', … }).`
}
