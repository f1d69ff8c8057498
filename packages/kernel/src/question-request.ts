import type { GivenAnswer, QuestionAnswers } from '@bridle/events/answers'
import { type ApprovalKind, approvalKindOf, approvalKinds } from '@bridle/events/approval-kinds'
import { type JsonObject, present } from '@bridle/events/json'
import type { Question, QuestionRequest } from '@bridle/events/questions'
import type { Payloads } from '@bridle/events/schemas'
import type { ApprovalChild } from './projections/approvals.ts'
import type { HarnessApprovalChild } from './projections/harness-state.ts'
import { INPUT_SUBJECT, inputQuestions } from './user-input.ts'

export interface QuestionFields {
  readonly questions?: readonly Question[]
  readonly schema?: JsonObject
  /** Applied when the question expires. */
  readonly default?: JsonObject
}

/** In older logs, a question for text is a tool approval. */
export const requestFields = (
  payload: Payloads['approval_required'],
): QuestionFields & { readonly kind: ApprovalKind } => {
  const kind = approvalKindOf(payload.kind)
  if (kind === 'tool' && payload.tool_name === INPUT_SUBJECT && payload.durable)
    return { kind: 'question', questions: inputQuestions(payload.reason) }
  return approvalKinds[kind].takes === 'answers' ? { kind, ...questionFields(payload) } : { kind }
}

export const childField = ({ id, agent, approval_id: approvalId, cut }: ApprovalChild): HarnessApprovalChild => ({
  id,
  agent,
  approvalId,
  ...(cut && { isCut: true }),
})

export const questionFields = ({ questions, schema, default: byDefault }: QuestionFields): QuestionFields =>
  present({ questions, schema, default: byDefault })

export const questionRequest = ({ questions, schema }: QuestionFields): QuestionRequest =>
  schema === undefined ? { questions: questions ?? [] } : { schema }

export const defaultAnswer = ({ schema, default: byDefault }: QuestionFields): GivenAnswer | null => {
  if (byDefault === undefined) return null
  return schema === undefined ? { answers: byDefault as QuestionAnswers } : { values: byDefault }
}

export const givenAnswer = ({ answers, values }: GivenAnswer): GivenAnswer | null => {
  if (answers === undefined && values === undefined) return null
  return present({ answers, values })
}
