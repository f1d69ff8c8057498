// Requested by a runner or the kernel, and answered once, on any wire, even after a restart.

import { answerProblem, type GivenAnswer } from '@bridle/events/answers'
import { canonicalJson, ownProperty, present } from '@bridle/events/json'
import { TIME_MAX } from '@bridle/events/limits'
import { parseQuestions } from '@bridle/events/questions'
import type { ApprovalDecision, ToolEffect } from '@bridle/events/schemas'
import { actorText } from '@bridle/words/approvals'
import { type Answers, type ApproveCommand, type Refusal, refuse, type ToolApprovalRequest } from '../../commands.ts'
import { approvalIdOf, withCallId, withoutCallId } from '../../ids.ts'
import {
  type Approval,
  answerHash,
  type DecidedApproval,
  isOfAttempt,
  isRunnersQuestion,
  takesAnswers,
} from '../../projections/approvals.ts'
import { defaultAnswer, givenAnswer, questionFields, questionRequest } from '../../question-request.ts'
import { grantBudget } from '../budgets/granted-budget.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { reasonAndActor } from '../reason-and-actor.ts'
import { endTurn } from '../runs/runs.ts'
import { type ApprovalSettlement, recordDecision } from './approval-settlement.ts'

/** More than a person reads. Every change sends all of them. */
export const OPEN_APPROVALS_MAX = 100

/** After a crash or retry, the same call reuses an undelivered answer once. */
export const requestApproval = (w: DecisionBuilder, call: ToolApprovalRequest): void => {
  const { run } = w
  if (!run) return
  const { open, decided } = w.state.approvals
  const kind = call.kind ?? 'tool'
  // A runner's question never replaces a question of the server, even under the same id.
  const isAlike = (each: Approval | DecidedApproval) => each.served === call.served
  const again = (each: Approval | DecidedApproval) =>
    isAlike(each) && isOfAttempt(each, run) && each.kind === kind && each.toolCallId === call.toolCallId
  // Used answers and changed arguments need a new approval.
  const same = (each: Approval | DecidedApproval) => again(each) && each.requestedDigest === call.digest
  if (Object.values(open).some(same) || Object.values(decided).some((each) => each.undelivered && same(each))) return

  const earlier = (each: Approval | DecidedApproval) =>
    isAlike(each) && each.runId === run.runId && each.requestedDigest === call.digest && !isOfAttempt(each, run)
  // An expiry is not an answer.
  const answered = Object.values(decided).find(
    (each) => each.undelivered && each.decision !== 'expired' && earlier(each),
  )
  const asked = kind === 'question' ? parseQuestions(call) : null
  const problem = asked && 'problem' in asked ? asked.problem : null
  const id = approvalIdOf(w.nextSeq)
  for (const old of Object.values(open).filter((each) => earlier(each) || again(each)))
    settleApproval(w, old, 'superseded', { superseded_by: id })

  w.addToRun('approval_required', {
    request_id: id,
    tool_call_id: call.toolCallId,
    tool_name: call.tool,
    reason: call.reason,
    arguments: withCallId(call.arguments, call.toolCallId),
    kind,
    ...(run.durable && { durable: true }),
    ...(call.served && { served: true }),
    requested_digest: call.digest,
    ...present({ effect: effectOf(w, call), risk: call.risk, audience: call.audience, grants: call.grants }),
    ...(call.fixed && { fixed: true }),
    ...(asked &&
      !('problem' in asked) && { ...questionFields(asked), ...present({ default_digest: call.defaultDigest }) }),
    expires_at:
      call.expiresMs === undefined ? null : new Date(Math.min(w.now + call.expiresMs, TIME_MAX)).toISOString(),
  })
  const request = ownProperty(w.state.approvals.open, id)
  if (!request) return
  // The asker receives the problem as the reason.
  if (problem !== null) return settleApproval(w, request, 'denied', { reason: problem, refused: true })
  if (!answered) {
    const isFlood = Object.keys(w.state.approvals.open).length > OPEN_APPROVALS_MAX
    if (isFlood) settleApproval(w, request, 'denied', { reason: 'Too many approvals are open.', refused: true })
    return
  }
  w.addToRun('approval_delivered', { request_id: answered.id })
  settleApproval(w, request, answered.decision, {
    ...(takesAnswers(answered) ? deliveredAnswer(answered) : answered.arguments && { arguments: answered.arguments }),
    ...(answered.approvedDigest !== null && { approved_digest: answered.approvedDigest }),
    ...(answered.reason !== null && { reason: answered.reason }),
    ...(answered.isRefused && { refused: true }),
    ...(answered.pause && { pause: true }),
  })
}

/** The asker is gone. */
export const withdrawQuestion = (w: DecisionBuilder, requestId: string): void => {
  const approval = ownProperty(w.state.approvals.open, requestId)
  if (w.run && approval && isRunnersQuestion(approval) && isOfAttempt(approval, w.run))
    recordDecision(w, approval, 'cancelled', {})
}

const deliveredAnswer = ({ arguments: args, answerHash: hash }: DecidedApproval): GivenAnswer | null =>
  hash === undefined || args === null ? null : givenAnswer(args as GivenAnswer)

const effectOf = (w: DecisionBuilder, { effect, toolCallId }: ToolApprovalRequest): ToolEffect | undefined => {
  if (effect !== undefined) return effect ?? undefined
  const call = ownProperty(w.state.lifecycle.tools, toolCallId)
  return call?.isUndeclared ? undefined : call?.effect
}

export const approve = (w: DecisionBuilder, command: ApproveCommand): Answers['approve'] | Refusal => {
  const { approvalId: id, decision } = command
  const given = givenAnswer(command)
  const decided = ownProperty(w.state.approvals.decided, id)
  if (given && decided && !takesAnswers(decided)) return refuse('not_a_question')
  if (decided) return isRepeated(decided, command) ? { approvalId: id, decision } : alreadySettled(decided)
  const approval = ownProperty(w.state.approvals.open, id)
  if (!approval) return refuse('approval_not_found')
  if (given && !takesAnswers(approval)) return refuse('not_a_question')
  if (approval.expiresAt !== null && w.now >= approval.expiresAt)
    return {
      ...refuse('approval_settled', 'The approval has expired.'),
      settlement: {
        decision: approval.default === undefined ? 'expired' : 'approved',
        decidedBy: null,
        decidedAt: approval.expiresAt,
      },
    }
  const answer = takesAnswers(approval) && decision === 'approved' ? fittingAnswer(approval, command) : {}
  if ('refused' in answer) return answer
  if (command.args && isFixed(approval) && !isAsAsked(approval, command)) return refuse('arguments_fixed')
  if (command.argumentsProblem !== undefined) return refuse('arguments_invalid', command.argumentsProblem)
  settleApproval(w, approval, decision, {
    ...reasonAndActor(command),
    ...(decision === 'approved' && command.args && isRunnersQuestion(approval) && { arguments: command.args }),
    ...answer,
    ...(decision === 'approved' && command.digest !== undefined && { approved_digest: command.digest }),
    ...(command.pause && { pause: true }),
  })
  return { approvalId: id, decision }
}

const isRepeated = (decided: DecidedApproval, command: ApproveCommand): boolean => {
  const { decision, digest = null, pause } = command
  if (decided.decision !== decision || (pause && decided.pause !== true)) return false
  if (decision === 'denied') return true
  if (!takesAnswers(decided)) return decided.approvedDigest === digest
  const given = givenAnswer(command)
  return decided.answerHash === (given ? answerHash(given) : decided.defaultHash)
}

const fittingAnswer = (approval: Approval, command: ApproveCommand): GivenAnswer | Refusal => {
  if (command.args)
    return refuse('arguments_fixed', 'A question is answered with `answers` or `values`, not with arguments.')
  const given = givenAnswer(command) ?? defaultAnswer(approval)
  if (!given) return refuse('answer_missing')
  const problem = answerProblem(questionRequest(approval), given)
  return problem === null ? given : refuse('invalid_answer', problem)
}

/** A call of unknown outcome started with its arguments, and its step key depends on them. Questions of the kernel have no call. */
export const isFixed = (approval: Approval): boolean =>
  approval.kind === 'unknown_outcome' || approval.fixed || !isRunnersQuestion(approval)

const isAsAsked = (approval: Approval, { args, digest }: ApproveCommand): boolean =>
  isRunnersQuestion(approval)
    ? digest === approval.requestedDigest
    : canonicalJson(args) === canonicalJson(withoutCallId(approval.arguments))

const QUESTION_SETTLED: { readonly [D in ApprovalDecision]: string } = {
  approved: 'The question was already answered',
  denied: 'The question was already declined',
  expired: 'The question has expired',
  cancelled: 'The question was withdrawn',
  superseded: 'The question was asked again under another id',
}

const alreadySettled = ({ kind, decision, actor, isActorClaimed, decidedAt }: DecidedApproval): Refusal => ({
  ...refuse(
    'approval_settled',
    `${kind === 'question' ? QUESTION_SETTLED[decision] : `The approval was already ${decision}`}${actor === null ? '' : ` by ${actorText({ actor, actor_claimed: isActorClaimed })}`}.`,
  ),
  settlement: { decision, decidedBy: actor, ...(isActorClaimed && { decidedByClaimed: true }), decidedAt },
})

export const expireApprovals = (w: DecisionBuilder): void => {
  for (const approval of Object.values(w.state.approvals.open)) {
    if (approval.expiresAt !== null && w.now >= approval.expiresAt) expire(w, approval)
  }
}

/** Applies the default, if any. The reason distinguishes it from a person's choice. */
const expire = (w: DecisionBuilder, approval: Approval): void => {
  const answer = defaultAnswer(approval)
  if (!answer) return settleApproval(w, approval, 'expired', { reason: 'expired' })
  const digest = present({ approved_digest: approval.defaultDigest })
  settleApproval(w, approval, 'approved', { reason: 'expired', ...answer, ...digest })
}

export const withdrawBudgetQuestions = (w: DecisionBuilder, reason: string): void => {
  for (const approval of Object.values(w.state.approvals.open))
    if (approval.kind === 'budget') settleApproval(w, approval, 'superseded', { reason })
}

const settleApproval = (
  w: DecisionBuilder,
  approval: Approval,
  decision: ApprovalDecision,
  by: ApprovalSettlement,
): void => {
  recordDecision(w, approval, decision, by)
  if (!isRunnersQuestion(approval)) consequences[approval.kind](w, decision)
}

/** Only for questions of the kernel. Answers to runners are delivered instead. */
const consequences: { readonly [K in Approval['kind']]: (w: DecisionBuilder, decision: ApprovalDecision) => void } = {
  tool: () => {},
  question: () => {},
  budget: (w, decision) => {
    if (decision === 'approved') grantBudget(w)
    else if ((decision === 'denied' || decision === 'expired') && !w.state.lifecycle.paused)
      w.add('session_paused', { reason: `budget ${decision}` })
  },
  unknown_outcome: (w, decision) => {
    if (decision === 'approved' || decision === 'cancelled') return
    endTurn(w, 'failed', {
      message: 'The outcome of a call is unknown, and it was not to be repeated.',
      reason: 'outcome_unknown',
    })
  },
}
