// Checks a list of tools for an engine. Operators read the problem when the server starts.
import { objectSchemaOf } from '../tools/json-schema.ts'
import { isTool } from '../tools/tool.ts'
import { isToolSource } from '../tools/tool-source.ts'

/** Providers accept about this many tools besides the engine's own. */
const TOOLS_MAX = 100

/** The first thing that is wrong with `tools`, as a sentence; null = nothing. `engineTools`: the names of the engine's own tools. */
export const servedToolProblem = (where: string, tools: unknown, engineTools: readonly string[]): string | null => {
  if (tools === undefined) return null
  if (!Array.isArray(tools)) return `${where} is not a list of tools.`
  if (tools.length > TOOLS_MAX) return `${where} has ${tools.length} tools. An engine takes at most ${TOOLS_MAX}.`
  const engineNames = new Set(engineTools.map((name) => name.toLowerCase()))
  const names = new Set<string>()
  for (const [index, each] of tools.entries()) {
    if (!isTool(each))
      return isToolSource(each)
        ? `${where} takes tools made with tool(). "${each.name}" is a source of tools, which only an agent with a model can use.`
        : `${where}[${index}] is not a tool. Make it with tool().`
    const { name, input } = each
    if (names.has(name)) return `Two tools of ${where} have the name "${name}". Rename one of them.`
    if (engineNames.has(name.toLowerCase()))
      return `"${name}" of ${where} has the name of a tool of the engine. Rename it.`
    const schema = objectSchemaOf(input)
    if ('problem' in schema) return `The input of "${name}" of ${where} ${schema.problem}`
    names.add(name)
  }
  return null
}
