// A prompt may answer a run's question, but only a single free-text one. A typed "yes" must never approve a tool.

import { answerProblem, type QuestionAnswers } from '@bridle/events/answers'
import { isJsonObject, type Json } from '@bridle/events/json'
import type { Command, InputAnswer, PromptAnswer } from '../../commands.ts'
import { messageIdOf } from '../../ids.ts'
import { type Approval, takesAnswers } from '../../projections/approvals.ts'
import type { SessionState } from '../../projections/state.ts'
import { questionRequest } from '../../question-request.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { approve } from './approvals.ts'

/** Null if the next prompt starts a turn. With several open questions, it is unclear which one the user means. */
export const openTextQuestion = ({ approvals }: Pick<SessionState, 'approvals'>): Approval | null => {
  const [question, ...others] = Object.values(approvals.open)
  return question && others.length === 0 && takesText(question) ? question : null
}

export const takesText = ({ questions = [] }: Pick<Approval, 'questions'>): boolean =>
  questions.length === 1 && questions[0]?.allow_free_text === true

export const textAnswer = ({ questions = [] }: Pick<Approval, 'questions'>, text: string): QuestionAnswers =>
  Object.fromEntries(questions.map(({ id, multi_select }) => [id, multi_select ? [text] : text]))

/** A text answer could not hold files. */
export const hasFiles = (input: Json | undefined): boolean =>
  isJsonObject(input) && [input, input.openharness].some((each) => isJsonObject(each) && isFilled(each.attachments))

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0

/** Null if the question is no longer open; the prompt is then an ordinary one. */
export const answerQuestion = (
  w: DecisionBuilder,
  { prompt, actor, inputAnswer }: Command & { readonly type: 'submit' | 'steer' },
): PromptAnswer | null => {
  const { run } = w
  if (!run || !inputAnswer || !isStillOpen(w, inputAnswer)) return null
  const messageId = messageIdOf(w.nextSeq)
  const by = actor === undefined ? {} : { actor }
  w.addToRun('steered', { run_id: run.runId, message_id: messageId, text: prompt, ...by })
  // The run receives the text as its answer and must not get it twice.
  w.addToRun('steer_delivered', { message_id: messageId })
  approve(w, { type: 'approve', decision: 'approved', ...inputAnswer, ...by })
  return { runId: run.runId, messageId, delivery: 'steered', approvalId: inputAnswer.approvalId }
}

/** Also checks that the answer fits: a voice line may have chosen an option. */
const isStillOpen = (w: DecisionBuilder, { approvalId, ...given }: InputAnswer): boolean => {
  const [question, ...others] = Object.values(w.state.approvals.open)
  if (question?.id !== approvalId || others.length > 0 || !takesAnswers(question)) return false
  const isInTime = question.expiresAt === null || w.now < question.expiresAt
  return isInTime && answerProblem(questionRequest(question), given) === null
}
