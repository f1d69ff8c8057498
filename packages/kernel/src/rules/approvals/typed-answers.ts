// A prompt that answers the question of a run: the user types the text instead of sending the question's token. Only a question for a
// text is answered so. A typed "yes" must never approve a tool.

import { isJsonObject, type Json } from '@bridle/events/json'
import type { Command, InputAnswer, PromptAnswer } from '../../commands.ts'
import { messageIdOf } from '../../ids.ts'
import type { Approval } from '../../projections/approvals.ts'
import type { SessionState } from '../../projections/state.ts'
import { INPUT_SUBJECT } from '../../user-input.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { approve } from './approvals.ts'

/**
 * The question that the next prompt answers; null = the prompt begins a turn of its own. Beside another open question nobody knows which
 * one the user means. A question of a run that is not durable is a call of an engine's tool, whatever its name.
 */
export const openTextQuestion = ({ approvals }: Pick<SessionState, 'approvals'>): Approval | null => {
  const [question, ...others] = Object.values(approvals.open)
  const takesText = question?.tool === INPUT_SUBJECT && question.kind === 'tool' && question.durable
  return takesText && others.length === 0 ? question : null
}

/** Whether the input of a prompt has files. A text answer could not hold them. */
export const hasFiles = (input: Json | undefined): boolean =>
  isJsonObject(input) && [input, input.openharness].some((each) => isJsonObject(each) && isFilled(each.attachments))

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0

/** Null = there is no such question any more, and the prompt is like any other. The conversation has the text as the user's message. */
export const answerQuestion = (
  w: DecisionBuilder,
  { prompt, actor, inputAnswer }: Command & { readonly type: 'submit' | 'steer' },
): PromptAnswer | null => {
  const { run } = w
  if (!run || !inputAnswer || !isStillOpen(w, inputAnswer)) return null
  const messageId = messageIdOf(w.nextSeq)
  const by = actor === undefined ? {} : { actor }
  w.addToRun('steered', { run_id: run.runId, message_id: messageId, text: prompt, ...by })
  // The run learns the text as the answer to its question, and must not get it a second time.
  w.addToRun('steer_delivered', { message_id: messageId })
  approve(w, { type: 'approve', decision: 'approved', ...inputAnswer, ...by })
  return { runId: run.runId, messageId, delivery: 'steered', approvalId: inputAnswer.approvalId }
}

const isStillOpen = (w: DecisionBuilder, { approvalId }: InputAnswer): boolean => {
  const question = openTextQuestion(w.state)
  return question?.id === approvalId && (question.expiresAt === null || w.now < question.expiresAt)
}
