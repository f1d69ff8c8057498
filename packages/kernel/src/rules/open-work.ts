import { OUTCOME_TYPES } from '@bridle/events/schemas'
import { allOpenApprovals } from '../projections/child-approvals.ts'
import type { SessionState } from '../projections/state.ts'
import { applied } from './approvals/approval-settlement.ts'
import type { DecisionBuilder } from './decision-builder.ts'

/** Closes calls, approvals and the turn for clients that read only events. The fold does not need them. */
export const endOpenWork = (w: DecisionBuilder, before: SessionState, reason: string): void => {
  const { run, tools } = before.lifecycle
  const left = run && { run: run.runId, attempt: run.attempt }
  for (const [tool_call_id, { name }] of left ? Object.entries(tools) : [])
    w.addToOtherRun(left, 'tool_outcome', {
      ...{ tool_call_id, tool_name: name, status: 'error', outcome_type: OUTCOME_TYPES.error },
      ...{ reason, error: 'The call was interrupted.' },
    })
  for (const approval of allOpenApprovals(before))
    w.addToOtherRun(left, 'approval_applied', applied(approval, 'cancelled', { reason }))
  if (!left) return
  w.addToOtherRun(left, 'turn_end', { turn_id: left.run, status: 'cancelled', stop_reason: reason, queued: 0 })
}
