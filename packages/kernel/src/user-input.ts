// Procedures ask for free text with this question.

import type { QuestionAnswers } from '@bridle/events/answers'
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { Question } from '@bridle/events/questions'

/** Contains a dot, so that it cannot be the name of a model's tool. */
export const INPUT_SUBJECT = 'user.input'

const INPUT_ANSWER = 'answer'

export const inputQuestions = (text: string): readonly Question[] => [
  { id: INPUT_ANSWER, question: text, allow_free_text: true },
]

/** Clients without support for questions edit the argument `answer` instead. */
export const editedAnswers = (tool: string, { answer }: JsonObject): QuestionAnswers | null =>
  tool === INPUT_SUBJECT && typeof answer === 'string' ? { [INPUT_ANSWER]: answer } : null

/** Older logs have it as an edited argument. */
export const inputText = ({ answers, answer }: JsonObject): Json | undefined =>
  isJsonObject(answers) ? answers[INPUT_ANSWER] : answer
