// A notice lists the open approvals of a child and its descendants, so an approval keeps its id on every level.

import type { GivenAnswer } from '@bridle/events/answers'
import { type JsonObject, ownProperty, present } from '@bridle/events/json'
import type { ApprovalDecision } from '@bridle/events/schemas'
import type { Answers, ChildAnsweredCommand } from '../../commands.ts'
import type { Key } from '../../event.ts'
import { childApprovalIdOf } from '../../ids.ts'
import { ownerOf } from '../../owner.ts'
import { type Approval, takesAnswers } from '../../projections/approvals.ts'
import { allOpenApprovals, type ChildApproval, childOfApproval } from '../../projections/child-approvals.ts'
import type { SessionState } from '../../projections/state.ts'
import { defaultAnswer, givenAnswer, type QuestionFields, questionFields } from '../../question-request.ts'
import { truncate } from '../../text/truncate.ts'
import { type ApprovalSettlement, applied } from '../approvals/approval-settlement.ts'
import { OPEN_APPROVALS_MAX } from '../approvals/approvals.ts'
import type { DecisionBuilder } from '../decision-builder.ts'

/** Truncates reasons and tool names; the asking session has the full text. */
const TEXT_CHARS_MAX = 500
/** Bounds arguments and questions of all approvals in a notice, which every change sends to every ancestor. */
const REQUEST_CHARS_MAX = 16_000

interface ApprovalSource {
  readonly id: string
  readonly agent: string
  /** The approval id in that session. */
  readonly approvalId: string
}

export interface AskedApproval
  extends ApprovalSource,
    QuestionFields,
    Pick<Approval, 'kind' | 'tool' | 'reason' | 'expiresAt' | 'effect' | 'risk'> {
  readonly arguments?: JsonObject
  readonly isCut?: true
}

export interface SettledAnswer extends ApprovalSource, GivenAnswer {
  readonly decision: ApprovalDecision
  readonly reason?: string
  readonly actor?: string
  readonly isActorClaimed?: true
}

/** Includes descendants. */
export const approvalsOf = (
  { id, agent }: Pick<Key, 'id' | 'agent'>,
  { approvals, childApprovals }: SessionState,
): { readonly approvals: readonly AskedApproval[]; readonly settled: readonly SettledAnswer[] } => {
  let room = REQUEST_CHARS_MAX
  const asked = (approval: Approval): AskedApproval => {
    const { kind, tool, reason, expiresAt, effect, risk, child } = approval
    // The arguments of a question only repeat it.
    const request = takesAnswers(approval) ? questionFields(approval) : { arguments: approval.arguments }
    const chars = JSON.stringify(request).length
    const fits = chars <= room
    if (fits) room -= chars
    const isCut = !fits || child?.cut || [tool, reason].some((text) => text.length > TEXT_CHARS_MAX)
    return {
      ...(child ? sourceOf(child) : { id, agent, approvalId: approval.id }),
      ...{ kind, tool: brief(tool), reason: brief(reason), expiresAt, ...present({ effect, risk }) },
      ...(fits && request),
      ...(isCut && { isCut: true }),
    }
  }
  const own = approvals.settled.map((each) => ({
    ...{ id, agent, approvalId: each.id, decision: each.decision, ...givenAnswer(each) },
    ...present({
      reason: each.decisionReason ?? undefined,
      actor: each.decidedBy ?? undefined,
      isActorClaimed: each.decidedByClaimed,
    }),
  }))
  const below = childApprovals.settled.map(({ id: _id, kind: _kind, child, reason, ...answer }) => ({
    ...sourceOf(child),
    ...answer,
    ...(reason !== undefined && { reason: brief(reason) }),
  }))
  return {
    approvals: allOpenApprovals({ approvals, childApprovals })
      .toSorted((one, other) => one.requestedAt - other.requestedAt)
      .slice(0, OPEN_APPROVALS_MAX)
      .map(asked),
    settled: [...own, ...below],
  }
}

const sourceOf = ({ id, agent, approval_id: approvalId }: ChildApproval['child']): ApprovalSource => ({
  id,
  agent,
  approvalId,
})

const brief = (text: string): string => truncate(text, TEXT_CHARS_MAX)

interface ApprovalNews {
  readonly child: Key
  readonly owner: string | null
  /** Whether a call of the current run waits for the child. */
  readonly isOfRun: boolean
  readonly approvals: readonly AskedApproval[]
  readonly settled?: readonly SettledAnswer[]
}

/** Logs new questions, and what was settled since the last notice. Approvals of another owner are left out. */
export const recordChildApprovals = (w: DecisionBuilder, news: ApprovalNews): void => {
  const { child, owner, isOfRun, settled = [] } = news
  const approvals = owner === ownerOf(w.key, w.state) ? news.approvals : []
  const named = new Set(approvals.map(nameOf))
  const known = Object.values(w.state.childApprovals.open)
  const isFull = approvals.length >= OPEN_APPROVALS_MAX
  for (const approval of known.filter((each) => each.child.via === child.id && !named.has(each.id))) {
    const answer = settled.findLast((each) => nameOf(each) === approval.id)
    // A full list may omit open approvals. The next list with room settles the rest.
    if (answer || !isFull) settle(w, approval, answer)
  }
  for (const asked of approvals) {
    // Skip approvals already answered here.
    if (childOfApproval(w.state.childApprovals, nameOf(asked))) continue
    if (Object.keys(w.state.childApprovals.open).length >= OPEN_APPROVALS_MAX) return
    const { id, agent, approvalId, kind, tool, reason, expiresAt, isCut, arguments: args } = asked
    const payload = {
      ...{ request_id: nameOf(asked), tool_call_id: '', tool_name: tool, reason, kind },
      ...present({ arguments: args, effect: asked.effect, risk: asked.risk }),
      ...questionFields(asked),
      expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      child: { id, agent, approval_id: approvalId, via: child.id, ...(isCut && { cut: true as const }) },
    }
    if (isOfRun) w.addToRun('approval_required', payload)
    else w.add('approval_required', payload)
  }
}

/** Settles the approval at once: without this, readers would see it as open until the child's next notice. */
export const recordChildAnswer = (
  w: DecisionBuilder,
  { approvalId, decision, ...by }: ChildAnsweredCommand,
): Answers['child_answered'] => {
  const approval = ownProperty(w.state.childApprovals.open, approvalId)
  if (!approval) return {}
  const isAnswered = decision === 'approved' && takesAnswers(approval)
  const given = isAnswered ? (givenAnswer(by) ?? defaultAnswer(approval)) : null
  settle(w, approval, { decision, ...present({ reason: by.reason, actor: by.actor }), ...given })
  return {}
}

const nameOf = ({ id, approvalId }: ApprovalSource): string => childApprovalIdOf(id, approvalId)

/** Without an answer, the approval is cancelled. */
const settle = (
  w: DecisionBuilder,
  approval: ChildApproval,
  answer: Omit<SettledAnswer, keyof ApprovalSource> | undefined,
): void => {
  const { decision, isActorClaimed, reason, actor } = answer ?? { decision: 'cancelled' as const }
  const by: ApprovalSettlement = { ...present({ reason, actor }), ...(answer && givenAnswer(answer)) }
  const claimed = isActorClaimed && { actor_claimed: true as const }
  const run = w.run?.runId === approval.runId ? w.run : null
  const place = run && { run: run.runId, attempt: run.attempt }
  const { id, child } = approval
  w.addToOtherRun(place, 'approval_decided', { request_id: id, decision, ...by, ...claimed, child })
  w.addToOtherRun(place, 'approval_applied', { ...applied(approval, decision, by), ...claimed })
}
