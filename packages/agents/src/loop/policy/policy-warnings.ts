// Rules that match no tool, probably because of a misspelt name. A warning and not an error: a source may still bring such a tool.
import { nearestName } from '@bridle/kernel/text/nearest-name'
import type { AgentDefinition } from '../../agent.ts'
import { isTool } from '../../tools/tool.ts'
import { declaredTools } from '../toolset/toolset.ts'
import { matchesGlob } from './glob.ts'

/** A sentence for each rule that matches none of the agent's tools. Nothing where a source brings tools that nobody knows yet. */
export const policyWarnings = (definition: AgentDefinition): readonly string[] => {
  const tools = declaredTools(definition)
  if (definition.policy.length === 0 || !tools.every(isTool)) return []
  const names = tools.map(({ name }) => name)
  return definition.policy.flatMap(({ tool }, index) => {
    if (names.some((name) => matchesGlob(tool, name))) return []
    const nearest = nearestName(tool, names)
    const advice = nearest === null ? `The tools are: ${names.join(', ')}.` : `Did you mean "${nearest}"?`
    return [`Rule ${index + 1} of the policy, on "${tool}", matches no tool of the agent. ${advice}`]
  })
}
