// Names of tools that a model misspells: another case, other separators, a prefix, or a few letters.
import { nearestName } from '../../../kernel/text/nearest-name.ts'
import type { Tool } from '../../tools/tool.ts'
import { TOOLS_NAMED_MAX } from './limits.ts'

/**
 * The tool that the name means; null: nobody can tell. A name that only looks like that of another tool is enough for a tool
 * whose calls may be repeated: one that acts must be called by its name, or by its name in another spelling.
 */
export const toolMeant = (name: string, tools: ReadonlyMap<string, Tool>): Tool | null => {
  const spelled = plain(name)
  const same = spelled === '' ? [] : [...tools.values()].filter((tool) => plain(tool.name) === spelled)
  if (same.length > 0) return same.length === 1 ? (same[0] ?? null) : null
  const near = tools.get(nearestName(name, [...tools.keys()]) ?? '')
  return near && near.effect !== 'unsafe' ? near : null
}

/** Only letters and digits count, and providers put a prefix such as `functions.` ahead of the name. */
const plain = (name: string): string =>
  name
    .slice(name.lastIndexOf('.') + 1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')

/** The sentence for a model that calls a tool which is not there. */
export const unknownTool = (name: string, tools: ReadonlyMap<string, Tool>): string => {
  if (tools.size === 0) return `There is no tool "${name}", and no other.`
  const names = [...tools.keys()]
  if (names.length <= TOOLS_NAMED_MAX) return `There is no tool "${name}". The tools are: ${names.join(', ')}.`
  const near = nearestName(name, names)
  return `There is no tool "${name}". ${near === null ? 'Search for one with find_tools.' : `Did you mean "${near}"?`}`
}
