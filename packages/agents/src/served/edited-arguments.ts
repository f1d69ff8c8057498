// Arguments that a person edited, checked while the approval is still open.
import type { Clock } from '@bridle/kernel/ports/clock'
import type { EditedCall } from '@bridle/kernel/ports/runner'
import { checkArguments } from '../loop/calls/arguments.ts'
import { schemaDeadline } from '../loop/calls/calls.ts'
import { DEFAULT_LIMITS } from '../model-agent.ts'
import type { Tool } from '../tools/tool.ts'

/** Why the arguments do not fit, as a sentence; null = they fit, or no tool has the name. */
export const servedCallProblem = async (
  tools: readonly Tool[],
  { tool: name, arguments: args }: Pick<EditedCall, 'tool' | 'arguments'>,
  clock: Clock,
): Promise<string | null> => {
  const tool = tools.find((each) => each.name === name)
  if (!tool) return null
  const { signal } = new AbortController()
  const checked = await checkArguments(tool, args, schemaDeadline({ clock, signal, toolMs: DEFAULT_LIMITS.toolMs }))
  return 'problem' in checked ? checked.problem : null
}
