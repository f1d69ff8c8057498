// The note of a call to a tool that was chosen from more than a model is offered: its rank, and why.
import type { ReportItem } from '../../../kernel/commands.ts'
import { hasFact } from '../../../kernel/projections/governance.ts'
import { type CallName, eventItem } from '../calls/call-items.ts'
import type { LoopRun } from '../loop-run.ts'
import { FIND_TOOLS } from './find-tools.ts'
import { REASON_WORDS_MAX } from './limits.ts'
import { queryOf } from './selection.ts'
import { toolIndex } from './tool-index.ts'

/** Nothing for a tool that is always offered. */
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
