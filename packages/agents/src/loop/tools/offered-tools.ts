// The tools of an agent as the model reads them.
import type { ModelTool } from '../../model/model.ts'
import { objectSchemaOf } from '../../tools/json-schema.ts'
import type { Tool } from '../../tools/tool.ts'

export const modelTools = (tools: readonly Tool[]): readonly ModelTool[] => tools.map(modelTool)

const modelTool = (each: Tool): ModelTool => {
  const known = converted.get(each)
  if (known) return known
  const result = objectSchemaOf(each.input)
  if ('problem' in result) throw new TypeError(`The input of "${each.name}" ${result.problem}`)
  const made: ModelTool = {
    type: 'function',
    name: each.name,
    description: each.description,
    inputSchema: result.schema,
  }
  converted.set(each, made)
  return made
}

/** Converting a schema takes longer than a whole step. */
const converted = new WeakMap<Tool, ModelTool>()
