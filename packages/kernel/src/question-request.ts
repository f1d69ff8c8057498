// The fields of a question and of its answer, as events, commands and approvals have them.

import type { GivenAnswer, QuestionAnswers } from '@bridle/events/answers'
import { type ApprovalKind, approvalKindOf, approvalKinds } from '@bridle/events/approval-kinds'
import { type JsonObject, present } from '@bridle/events/json'
import type { Question, QuestionRequest } from '@bridle/events/questions'
import type { Payloads } from '@bridle/events/schemas'
import type { ApprovalChild } from './projections/approvals.ts'
import type { HarnessApprovalChild } from './projections/harness-state.ts'
import { INPUT_SUBJECT, inputQuestions } from './user-input.ts'

/** Fields of an approval of the kind `question`. */
export interface QuestionFields {
  readonly questions?: readonly Question[]
  readonly schema?: JsonObject
  /** The answers or values that apply when the question expires. */
  readonly default?: JsonObject
}

/** The kind of a request and what it asks. In logs from before there were questions, one for a text is the approval of a tool. */
export const requestFields = (
  payload: Payloads['approval_required'],
): QuestionFields & { readonly kind: ApprovalKind } => {
  const kind = approvalKindOf(payload.kind)
  if (kind === 'tool' && payload.tool_name === INPUT_SUBJECT && payload.durable)
    return { kind: 'question', questions: inputQuestions(payload.reason) }
  return approvalKinds[kind].takes === 'answers' ? { kind, ...questionFields(payload) } : { kind }
}

/** The session that asks, as wires name it. */
export const childField = ({ id, agent, approval_id: approvalId, cut }: ApprovalChild): HarnessApprovalChild => ({
  id,
  agent,
  approvalId,
  ...(cut && { isCut: true }),
})

/** The fields of a question alone. */
export const questionFields = ({ questions, schema, default: byDefault }: QuestionFields): QuestionFields =>
  present({ questions, schema, default: byDefault })

/** The request that an answer has to fit. */
export const questionRequest = ({ questions, schema }: QuestionFields): QuestionRequest =>
  schema === undefined ? { questions: questions ?? [] } : { schema }

/** The default as an answer; null: there is none. */
export const defaultAnswer = ({ schema, default: byDefault }: QuestionFields): GivenAnswer | null => {
  if (byDefault === undefined) return null
  return schema === undefined ? { answers: byDefault as QuestionAnswers } : { values: byDefault }
}

/** The answer in a command or an event; null: it has none. */
export const givenAnswer = ({ answers, values }: GivenAnswer): GivenAnswer | null => {
  if (answers === undefined && values === undefined) return null
  return present({ answers, values })
}
