// Checks arguments that a person edited as they will be checked when the call is made, while the approval is still open.
import type { Clock } from '@bridle/kernel/ports/clock'
import type { EditedCall } from '@bridle/kernel/ports/runner'
import type { AgentDefinition } from '../agent.ts'
import { isTool, type Tool } from '../tools/tool.ts'
import type { ToolSource } from '../tools/tool-source.ts'
import { checkArguments } from './calls/arguments.ts'
import { schemaDeadline } from './calls/calls.ts'
import { closeSource, declaredTools, openSource } from './toolset/toolset.ts'

/** Why the arguments do not fit, as a sentence; null = they fit, or the agent has no such tool now. */
export const modelCallProblem = async (
  definition: AgentDefinition,
  call: EditedCall,
  clock: Clock,
): Promise<string | null> => {
  const declared = declaredTools(definition)
  // No run is at work while its call waits.
  const limits = { clock, signal: new AbortController().signal, toolMs: definition.limits.toolMs }
  const problemIn = async (tools: readonly Tool[]): Promise<string | null | undefined> => {
    const tool = tools.find(({ name }) => name === call.tool)
    if (!tool) return undefined
    const checked = await checkArguments(tool, call.arguments, schemaDeadline(limits))
    return 'problem' in checked ? checked.problem : null
  }
  const problem = await problemIn(declared.filter(isTool))
  if (problem !== undefined) return problem
  const found = await Promise.allSettled(
    declared
      .filter((entry): entry is ToolSource => !isTool(entry))
      .map(async (source) => {
        const opened = await openSource(source, call, { ...limits, ms: limits.toolMs })
        return problemIn(opened.tools).finally(() => closeSource(opened))
      }),
  )
  // A source that fails says nothing about the arguments: its tool does when the call is made.
  return (
    found.map((each) => (each.status === 'fulfilled' ? each.value : undefined)).find((each) => each != null) ?? null
  )
}
