// Option tokens answer single choices, `user_intent` answers text questions, and everything else uses vendor fields.

import type { GivenAnswer } from '@bridle/events/answers'
import { isJsonObject, type JsonObject, present } from '@bridle/events/json'
import type { Question } from '@bridle/events/questions'
import type { Approval } from '@bridle/kernel/projections/approvals'
import { givenAnswer, questionFields } from '@bridle/kernel/question-request'
import { takesText, textAnswer } from '@bridle/kernel/rules/approvals/typed-answers'
import { INPUT_SUBJECT } from '@bridle/kernel/user-input'
import type { RequestPayload } from '@bridle/wire/openharness/wire'
import type { Denial } from '../http/denials/denial.ts'
import { VENDOR } from './codec.ts'
import type { ContinuationClaim } from './continuation.ts'
import { invalidField } from './errors.ts'

const ANSWER_FIELD = `context.extensions.${VENDOR}`

/** An option of the directive, with the claim for its token. */
interface OfferedAnswer extends Pick<ContinuationClaim, 'option' | 'choice'> {
  readonly id: string
  readonly label: string
}

/** A single-choice question has an option per label. */
export const offeredAnswers = (approval: Approval): readonly OfferedAnswer[] => {
  if (approval.kind !== 'question')
    return [
      { id: 'approve', label: 'Approve', option: 'approve' },
      { id: 'deny', label: 'Deny', option: 'deny' },
    ]
  const choices = choicesOf(approval).map(({ label }, choice) => ({
    ...{ id: `option-${choice + 1}`, label, option: 'approve' as const, choice },
  }))
  const isOnlyChoice = choices.length > 0 && !takesText(approval)
  return [
    ...choices,
    ...(isOnlyChoice ? [] : [{ id: 'approve', label: 'Answer', option: 'approve' as const }]),
    { id: 'deny', label: 'Decline', option: 'deny' },
  ]
}

export const questionPayload = (approval: Approval): JsonObject => {
  if (approval.kind !== 'question')
    return { message: approval.reason || `May ${approval.tool} run?`, tool: approval.tool }
  const { questions, ...form } = questionFields(approval)
  const texts = (questions ?? []).map(({ question }) => question)
  return {
    message: texts.join('\n') || approval.reason,
    // The protocol's name for a text question.
    tool: takesText(approval) ? INPUT_SUBJECT : approval.tool,
    ...(questions && { questions: questions as readonly JsonObject[] }),
    ...form,
  }
}

/** Fallback for shells without approvals: the question, its options, and where to answer. */
export const adviceOf = (payload: JsonObject, isTyped: boolean): string => {
  const { message, questions, schema } = payload
  const isQuestion = questions !== undefined || schema !== undefined
  const where = isTyped
    ? 'Answer with your next message.'
    : isQuestion
      ? 'This shell cannot answer. The question waits in the inbox: answer it there, or on another screen.'
      : 'This shell cannot answer. The work waits for an approval elsewhere.'
  const [question, ...others] = (questions ?? []) as readonly Question[]
  const options = others.length > 0 ? [] : (question?.options ?? [])
  const labels = options.map(({ label }) => `"${label}"`).join(', ')
  return [message, labels && `Options: ${labels}.`, where].filter(Boolean).join(' ')
}

/** The answer sent with an `approve` token. Null: the default. */
export const shellAnswer = (
  open: Approval,
  { choice }: ContinuationClaim,
  { context }: RequestPayload,
): GivenAnswer | Denial | null => {
  const label = choice === undefined ? undefined : choicesOf(open)[choice]?.label
  if (label !== undefined) return { answers: textAnswer(open, label) }
  const sent = extensionAnswer(context)
  if (sent) return sent
  const intent = context?.user_intent
  if (takesText(open))
    return intent
      ? { answers: textAnswer(open, intent) }
      : invalidField('context.user_intent', 'Send the answer to the question, as a text.')
  return open.default === undefined
    ? invalidField(ANSWER_FIELD, `Send \`${open.schema ? 'values' : 'answers'}\` in ${ANSWER_FIELD}.`)
    : null
}

/** The fields by which two requests count as the same answer. */
export const answerWords = ({ choice }: ContinuationClaim, { context }: RequestPayload): JsonObject => {
  if (choice !== undefined) return { choice }
  const { answers, values } = extensionAnswer(context) ?? {}
  return present({ answers, values, intent: context?.user_intent }) as JsonObject
}

/** The question stays open. */
export const unfitAnswer = ({ context }: RequestPayload, message: string): Denial =>
  invalidField(extensionAnswer(context) ? ANSWER_FIELD : 'context.user_intent', message)

const choicesOf = ({ questions = [] }: Approval) =>
  questions.length === 1 && !questions[0]?.multi_select ? (questions[0]?.options ?? []) : []

const extensionAnswer = (context: RequestPayload['context']): GivenAnswer | null => {
  const fields = context?.extensions?.[VENDOR]
  return isJsonObject(fields) ? givenAnswer(fields as GivenAnswer) : null
}
