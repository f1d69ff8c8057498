// Approvals of a model's tool calls: whether a call needs one, the question to a person, and the use of the answer.

import { type JsonObject, present } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import type { ReportItem, ToolApprovalRequest } from '@bridle/kernel/commands'
import { callDigest } from '@bridle/kernel/host/approval-binding'
import { questionReport } from '@bridle/kernel/host/question-report'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { ApprovalAnswer } from '@bridle/kernel/ports/runner'
import { truncate } from '@bridle/kernel/text/truncate'
import type { PolicyRule } from '../../policy.ts'
import { shortErrorMessage } from '../../session/error-message.ts'
import { syncAnswer } from '../../tools/sync-answer.ts'
import { approvalProblem, type Tool, type ToolApprovalTerms } from '../../tools/tool.ts'
import type { RuleDecision } from '../policy/call-policy.ts'
import { type CallName, outcomeItem } from './call-items.ts'
import { QUESTION_REASON_CHARS_MAX } from './call-questions.ts'

export type ApprovalNeed = { readonly approval: ToolApprovalTerms | null } | { readonly problem: string }

/** A rule that fails lets nothing pass: the call is not made. */
export const approvalTerms = ({ name, approve }: Tool, input: unknown): ApprovalNeed => {
  const failed = (why: string) => ({ problem: `Nobody could be asked for an approval of "${name}": ${why}` })
  try {
    const rule = typeof approve === 'function' ? syncAnswer('approve', approve(input)) : approve
    const problem = approvalProblem('its approval', rule)
    if (problem !== null) return failed(problem)
    return { approval: rule === false ? null : rule === true ? {} : (rule as ToolApprovalTerms) }
  } catch (error) {
    return failed(shortErrorMessage(error))
  }
}

/** The terms of a question that a tool asks, or a rule, or both: the shorter time holds. */
export const questionTerms = (
  tool: string,
  own: ToolApprovalTerms,
  ruling: RuleDecision | null,
): Pick<ToolApprovalRequest, 'reason' | 'expiresMs' | 'risk' | 'audience' | 'grants'> => {
  const rule: Partial<PolicyRule> = ruling?.rule ?? {}
  const times = [own.expiresMs, rule.expiresMs].filter((ms) => ms !== undefined)
  return {
    reason: rule.reason ?? own.reason ?? `The agent wants to run "${tool}".`,
    ...(times.length > 0 && { expiresMs: Math.min(...times) }),
    ...present({ risk: rule.risk, audience: rule.audience, grants: rule.once && ruling?.name }),
  }
}

/** Asks the user what a call of the model says. A rule that asks before the call adds its terms: the question itself is what it asks for. */
export const userQuestion = async (
  { id, tool }: CallName,
  args: JsonObject,
  request: QuestionRequest,
  own: ToolApprovalTerms | null,
  ruling: RuleDecision | null,
  digest: Digest,
): Promise<ToolApprovalRequest> => {
  const { expiresMs, audience } = questionTerms(tool, own ?? {}, ruling)
  const texts = request.questions?.map(({ question }) => question) ?? ['The agent asks for values.']
  const reason = truncate(texts.join(' '), QUESTION_REASON_CHARS_MAX)
  const call = { toolCallId: id, tool, arguments: args, reason, ...present({ expiresMs }) }
  return { ...(await questionReport(digest, call, request)), ...present({ audience }) }
}

/** Asks a person whether to make a call again: a crash in the middle of it left its outcome unknown. */
export const outcomeQuestion = async (
  call: CallName,
  args: JsonObject,
  digest: Digest,
): Promise<ToolApprovalRequest> => ({
  ...(await approvalQuestion(call, args, digest)),
  kind: 'unknown_outcome',
  reason: `The server stopped while "${call.tool}" ran, so nobody knows whether it has happened. Run it again?`,
})

export const approvalQuestion = async (
  { id, tool }: CallName,
  args: JsonObject,
  digest: Digest,
): Promise<ToolApprovalRequest> => ({
  type: 'ask',
  toolCallId: id,
  tool,
  arguments: args,
  reason: '',
  digest: await callDigest(digest, tool, args),
})

/**
 * Uses a person's answer. `items` belong into one report; with `args`, the call is made with these afterwards, and without, the
 * items hold its outcome. `begun` are the arguments with which a call began whose outcome is unknown: nobody can change them.
 */
export const applyAnswer = async (
  call: CallName,
  begun: JsonObject,
  answer: ApprovalAnswer,
  digest: Digest,
): Promise<{ readonly items: ReportItem[]; readonly args: JsonObject | null }> => {
  const { requestId, decision, arguments: args, approvedDigest, reason, isRefused, kind = 'tool' } = answer
  const delivered: ReportItem = { type: 'approval_delivered', requestId }
  const settle = (outcome: ReportItem) => ({ items: [delivered, outcome], args: null })
  if (decision !== 'approved') {
    if (kind === 'question' && isRefused)
      return settle(outcomeItem(call, 'error', { error: `The question was not asked. ${reason}`, reason: 'not_asked' }))
    return settle(
      kind === 'unknown_outcome'
        ? outcomeItem(call, 'error', { error: OUTCOME_UNKNOWN, reason: 'outcome_unknown' })
        : outcomeItem(call, 'denied', {
            elapsed_ms: 0,
            reason: reason ?? decision,
            ...(kind === 'question' && { error: unanswered(decision, reason) }),
          }),
    )
  }
  if (kind === 'unknown_outcome') return { items: [delivered], args: begun }
  // An approval holds for the call that the person saw, and for no other.
  if ((await callDigest(digest, call.tool, args)) !== approvedDigest)
    return settle(outcomeItem(call, 'error', { error: 'not what was approved', reason: 'not_approved' }))
  return { items: [delivered], args }
}

/** Why the model has no answer. */
const unanswered = (decision: ApprovalAnswer['decision'], reason: string | null): string => {
  if (decision === 'expired') return 'The user did not answer in time.'
  return reason === null ? 'The user declined to answer.' : `The user declined to answer: ${reason}`
}

const OUTCOME_UNKNOWN =
  'The server stopped while the call ran. Nobody knows whether it has happened, and a person decided not to run it again.'
