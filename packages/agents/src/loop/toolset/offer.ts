// The tools that the model is offered in a turn: the log has their names, so that every process offers the same ones.

import { present } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import { hasFact } from '@bridle/kernel/projections/governance'
import type { AgentDefinition } from '../../agent.ts'
import { TOOLS_OFFERED_MAX } from '../../session/limits.ts'
import { isTool, type Tool } from '../../tools/tool.ts'
import { type CallName, eventItem } from '../calls/call-items.ts'
import type { LoopRun } from '../loop-run.ts'
import { FIND_TOOLS } from '../selection/find-tools.ts'
import { queryOf, selectTools, type ToolSelection } from '../selection/selection.ts'
import { toolIndex } from '../selection/tool-index.ts'
import { declaredTools, withAnswer } from './toolset.ts'

/** Words that are named as the reason of a choice. */
const REASON_WORDS_MAX = 5

/** In the write that starts the run, where its tools are known before any source is asked: a write less per turn. */
export const offerAtOnce = (definition: AgentDefinition, runId: string, more: readonly string[] = []): ReportItem[] => {
  const tools = declaredTools(definition)
  // Skills are read first.
  if (definition.skills.length > 0) return []
  if (tools.length > TOOLS_OFFERED_MAX || !tools.every(isTool)) return []
  const names = withAnswer(definition, tools).map(({ name }) => name)
  return [offerItem(runId, { tools: [...new Set([...names, ...more])] }, names.length)]
}

/** Before the first request of the turn. */
export const offer = (run: LoopRun): ReportItem[] => {
  const { turn } = run.transcript
  if (turn.offered !== null) return []
  const { tools, isSelective } = run.toolset
  if (!isSelective) return [offerItem(turn.run, { tools: tools.map(({ name }) => name) }, tools.length)]
  const { foundTools } = run.reporter.session.governance()
  const found = foundTools.map(({ name }) => name)
  return [offerItem(turn.run, selectTools(tools, run.job.prompt, found), tools.length)]
}

/** A search has found tools: they are offered from the next request on. */
export const foundItem = (run: LoopRun, found: readonly string[]): ReportItem[] => {
  const offered = run.transcript.turn.offered ?? []
  const more = found.filter((name) => run.toolset.get(name) && !offered.includes(name))
  if (more.length === 0) return []
  const { chosen } = run.transcript.turn
  return [offerItem(run.transcript.turn.run, { tools: [...offered, ...more], chosen }, run.toolset.tools.length, more)]
}

/** The tools of the next request. Where all are offered, those that the agent has now; else those that the log names. */
export const offeredTools = (run: LoopRun): readonly Tool[] => {
  const { toolset, transcript } = run
  const { offered } = transcript.turn
  if (!toolset.isSelective || offered === null) return toolset.tools
  const optional = toolset.tools.filter(({ name }) => toolset.isOptional(name) && !offered.includes(name))
  return [...offered.flatMap((name) => toolset.get(name) ?? []), ...optional]
}

const offerItem = (
  runId: string,
  { tools, chosen }: Partial<ToolSelection>,
  of: number,
  found?: readonly string[],
): ReportItem =>
  eventItem('turn_start_tools', {
    ...{ turn_id: runId, tools: [...(tools ?? [])], of },
    ...present({ chosen: chosen && [...chosen], found: found && [...found] }),
  })

/** A call of a tool that was chosen from more than a model is offered: its rank, and why. Nothing for one that is always offered. */
export const selectedItem = (run: LoopRun, { id, tool }: CallName): ReportItem[] => {
  const { turn } = run.transcript
  if (!run.toolset.isSelective) return []
  const rank = turn.chosen.indexOf(tool) + 1
  const item = (reason: string, more: object) => [
    eventItem('tool_selected', { tool_call_id: id, tool_name: tool, reason, ...more }),
  ]
  if (rank > 0) return item(relevanceOf(run, tool), { rank, of: run.toolset.tools.length, by: 'relevance' })
  const found = run.reporter.session.governance().foundTools
  if (!hasFact(found, tool)) return []
  const place = found.findIndex(({ name }) => name === tool) + 1
  return item('The model found it with find_tools.', { rank: place, of: run.toolset.tools.length, by: FIND_TOOLS })
}

const relevanceOf = (run: LoopRun, name: string): string => {
  const tool = run.toolset.get(name)
  const [match] = tool ? toolIndex([tool]).search(queryOf(run.job.prompt)) : []
  return match
    ? `The prompt has words of it: ${match.words.slice(0, REASON_WORDS_MAX).join(', ')}.`
    : 'There was room left, and it comes first in the order of the agent.'
}
