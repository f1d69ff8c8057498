// The tools that the model is offered in a turn: the log has their names, once per turn.
import type { ReportItem } from '../../kernel/commands.ts'
import type { AgentDefinition } from '../agent.ts'
import { TOOLS_OFFERED_MAX } from '../limits.ts'
import { isTool, type Tool } from '../tools/tool.ts'
import { eventItem } from './calls/call-items.ts'
import type { LoopRun } from './loop-run.ts'
import { declaredTools, withAnswer } from './toolset.ts'

/** In the write that starts the run, where its tools are known before any source is asked: a write less per turn. */
export const offerAtOnce = (definition: AgentDefinition, runId: string): ReportItem[] => {
  const tools = declaredTools(definition)
  return tools.length <= TOOLS_OFFERED_MAX && tools.every(isTool)
    ? [offerItem(runId, withAnswer(definition, tools))]
    : []
}

/** Before the first request of the turn. */
export const offer = ({ transcript: { turn }, toolset: { tools } }: LoopRun): ReportItem[] =>
  turn.isOffered ? [] : [offerItem(turn.run, tools)]

const offerItem = (runId: string, tools: readonly Tool[]): ReportItem =>
  eventItem('turn_start_tools', { turn_id: runId, tools: tools.map(({ name }) => name), of: tools.length })
