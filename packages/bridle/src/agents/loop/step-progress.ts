// The progress of background work: an event for each step of the loop whose calls have all settled.
import type { ReportItem } from '../../kernel/commands.ts'
import { eventItem } from './calls/call-items.ts'
import type { LoopRun } from './loop-run.ts'
import { stepId } from './transcript/turn-record.ts'

/** In the write with which the next step begins, or the turn ends. The log says of each step once that it is finished. */
export const stepProgress = ({ job, transcript: { turn } }: LoopRun): ReportItem[] => {
  if (!job.isBackground || turn.steps === turn.finishedStep) return []
  const tools = [...new Set((turn.last?.calls ?? []).map(({ call }) => call.tool))]
  const summary = tools.length === 0 ? 'The model answered.' : `Calls of ${tools.join(', ')} are made.`
  return [eventItem('step_progress', { step_id: stepId(turn.run, turn.steps), status: 'completed', summary })]
}
