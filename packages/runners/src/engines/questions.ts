// Questions of an engine to a person, and of the MCP servers that an engine has.

import { randomUUID } from 'node:crypto'
import {
  ELICITATION_SUBJECT,
  type Elicitation,
  type ElicitationResult,
  elicitationReason,
  elicitationRequest,
  elicitationResult,
} from '@bridle/events/elicitation'
import type { JsonObject } from '@bridle/events/json'
import type { QuestionRequest, RequestProblem } from '@bridle/events/questions'
import { truncate } from '@bridle/kernel/text/truncate'
import type { EngineApprovalDecision, EngineApprovalRequest, TurnReporter } from './engine.ts'

/** Characters of a reason: lists show it on a line or two, and the question itself is beside it. */
const REASON_CHARS_MAX = 1_000

/** The reason of a denial where the caller of the runner knows no questions. */
export const NO_ANSWER = 'The question was approved without an answer.'

/** Refuses a malformed request: a notice is in the log, and the engine gets the problem. */
export const askQuestion = async (
  turn: TurnReporter,
  call: Omit<EngineApprovalRequest, 'question' | 'fixed'>,
  question: QuestionRequest | RequestProblem,
): Promise<EngineApprovalDecision> => {
  if (!('problem' in question))
    return turn.requestApproval({ ...call, reason: truncate(call.reason, REASON_CHARS_MAX), question })
  const message = `A question of the engine could not be asked. ${question.problem}`
  turn.report({ type: 'context.warning', kind: 'question_refused', message })
  return { decision: 'denied', reason: `The question was not asked. ${question.problem}`, isRefused: true }
}

/** A refused request is cancelled, because no person has declined it. Engines cancel by themselves what waits in an interrupted turn. */
export const answerElicitation = async (turn: TurnReporter, asked: Elicitation): Promise<ElicitationResult> => {
  const request = elicitationRequest(asked)
  const call = {
    // Not the id of the call that the server works on: to decline a question does not deny the call.
    toolUseId: `elicitation-${randomUUID()}`,
    toolName: ELICITATION_SUBJECT,
    input: { ...asked } as JsonObject,
    reason: elicitationReason(asked),
  }
  const verdict = await askQuestion(turn, call, request)
  if (verdict.decision === 'denied') return { action: verdict.isRefused ? 'cancel' : 'decline' }
  if (!verdict.given) return { action: 'decline' }
  return elicitationResult(asked, verdict.given)
}
