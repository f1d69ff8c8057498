// Records an answer in the log. Its consequences, such as the end of a run, belong to approvals.ts.

import type { GivenAnswer } from '@bridle/events/answers'
import { present } from '@bridle/events/json'
import type { ApprovalDecision, Payloads } from '@bridle/events/schemas'
import { withCallId } from '../../ids.ts'
import type { Approval } from '../../projections/approvals.ts'
import { givenAnswer } from '../../question-request.ts'
import type { DecisionBuilder } from '../decision-builder.ts'

export interface ApprovalSettlement extends GivenAnswer {
  readonly reason?: string
  readonly actor?: string
  readonly arguments?: Approval['arguments']
  readonly approved_digest?: string
  readonly superseded_by?: string
  readonly refused?: true
  readonly pause?: boolean
}

/** As clients see it. */
export const applied = (
  approval: Approval,
  decision: ApprovalDecision,
  by: ApprovalSettlement,
): Payloads['approval_applied'] => ({
  request_id: approval.id,
  tool_call_id: approval.toolCallId,
  tool_name: approval.tool,
  ...(approval.kind === 'question' && { kind: approval.kind }),
  decision,
  reason: by.reason ?? null,
  actor: by.actor ?? null,
  approved_digest: by.approved_digest ?? null,
  ...givenAnswer(by),
  ...(by.arguments && approval.kind === 'tool' && { arguments: withCallId(by.arguments, approval.toolCallId) }),
  ...present({ child: approval.child }),
})

export const recordDecision = (
  w: DecisionBuilder,
  approval: Approval,
  decision: ApprovalDecision,
  by: ApprovalSettlement,
): void => {
  w.addToRun('approval_decided', { request_id: approval.id, decision, ...by })
  w.addToRun('approval_applied', applied(approval, decision, by))
}

export const cancelApprovals = (w: DecisionBuilder): void => {
  for (const approval of Object.values(w.state.approvals.open)) recordDecision(w, approval, 'cancelled', {})
}
