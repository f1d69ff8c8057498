// A call that needs approval must not execute without it: the runner is stopped, and its run fails.

import { approvalKinds } from '@bridle/events/approval-kinds'
import { ownProperty } from '@bridle/events/json'
import { SUMMARY_CHARS_MAX } from '@bridle/events/limits'
import type { Payloads, ToolStatus } from '@bridle/events/schemas'
import { type Approval, type DecidedApproval, isOfAttempt } from '../../projections/approvals.ts'
import { truncate } from '../../text/truncate.ts'
import { agentOfCall } from '../call-agents.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { settleToolCalls } from '../runs/runs.ts'
import { cancelApprovals } from './approval-settlement.ts'

/** Engines also end calls that never ran, as `error` or `denied`. */
export const hasActed = (status: ToolStatus): boolean =>
  status === 'ok' || status === 'artifact' || status === 'timeout'

/** True if the call asked in this attempt and its last request was not granted. */
export const isUnapprovedCall = (w: DecisionBuilder, toolCallId: string): boolean => {
  const { run } = w
  const { open, decided } = w.state.approvals
  const { served } = ownProperty(w.state.lifecycle.tools, toolCallId) ?? {}
  const isOfCall = (each: Approval | DecidedApproval) =>
    each.toolCallId === toolCallId && each.served === served && run !== null && isOfAttempt(each, run)
  if (Object.values(open).some((each) => approvalKinds[each.kind].asker === 'runner' && isOfCall(each))) return true
  const last = Object.values(decided).findLast((each) => isOfCall(each) && !each.hasOutcome)
  return last !== undefined && last.decision !== 'approved'
}

/** The reported outcome is logged: the call has executed, and readers have to know. */
export const failUnapprovedCall = (w: DecisionBuilder, outcome: Payloads['tool_outcome']): void => {
  const { run } = w
  if (!run) return
  const { tool_call_id: id, tool_name: tool, status } = outcome
  const error = 'The call ran without an approval.'
  const { outcome_type } = outcome
  w.addToRun('tool_outcome', {
    ...{ tool_call_id: id, tool_name: tool, outcome_type, status, reason: REASON, error },
    ...agentOfCall(w, id),
  })
  settleToolCalls(w, 'error', REASON)
  cancelApprovals(w)
  const message = `The tool "${truncate(tool, SUMMARY_CHARS_MAX)}" ran without an approval (call ${truncate(id, SUMMARY_CHARS_MAX)}). Check what it did before you go on.`
  w.addToRun('run_parked', {
    run_id: run.runId,
    attempt: run.attempt,
    reason: REASON,
    stop: true,
    failure: { message, reason: REASON },
  })
}

const REASON = 'unapproved_call'
