// A call that a person was asked about acts only after it was approved. A runner that reports such a call as executed
// while nobody has approved it, or after it was denied, is not believed any further: it is stopped and its run fails.

import { BRIEF_CHARS } from '../../limits.ts'
import type { Approval, DecidedApproval } from '../../projections/approvals.ts'
import type { Payloads, ToolStatus } from '../../schemas.ts'
import { cut } from '../../text/truncate.ts'
import type { Working } from '../decision-builder.ts'
import { settleTools } from '../runs/runs.ts'
import { cancelApprovals } from './approval-settlement.ts'

/** Whether a call with this outcome has acted. An engine also ends calls that never ran, as `error` or `denied`. */
export const hasRun = (status: ToolStatus): boolean => status === 'ok' || status === 'artifact' || status === 'timeout'

/** Whether the call was asked about in this attempt, and its last question was not answered with a yes. */
export const isUnapproved = (w: Working, toolCallId: string): boolean => {
  const { run } = w
  const { open, decided } = w.state.approvals
  const isOfCall = (each: Approval | DecidedApproval) =>
    each.toolCallId === toolCallId && each.runId === run?.runId && each.attempt === run.attempt
  if (Object.values(open).some((each) => each.kind === 'tool' && isOfCall(each))) return true
  const last = Object.values(decided).findLast((each) => isOfCall(each) && !each.isOver)
  return last !== undefined && last.decision !== 'approved'
}

/** The outcome stays in the log as it was reported: the call has acted, and a reader has to know. */
export const failUnapproved = (w: Working, outcome: Payloads['tool_outcome']): void => {
  const { run } = w
  if (!run) return
  const { tool_call_id: id, tool_name: tool, status } = outcome
  const error = 'The call ran without an approval.'
  const { outcome_type } = outcome
  w.addToRun('tool_outcome', { tool_call_id: id, tool_name: tool, outcome_type, status, reason: REASON, error })
  settleTools(w, 'error', REASON)
  cancelApprovals(w)
  const message = `The tool "${cut(tool, BRIEF_CHARS)}" ran without an approval (call ${cut(id, BRIEF_CHARS)}). Check what it did before you go on.`
  w.addToRun('run_parked', {
    run_id: run.runId,
    attempt: run.attempt,
    reason: REASON,
    stop: true,
    failure: { message, reason: REASON },
  })
}

const REASON = 'unapproved_call'
