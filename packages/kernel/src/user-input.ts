// A question whose answer is a text of the user. Procedures ask it.

import type { QuestionAnswers } from '@bridle/events/answers'
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { Question } from '@bridle/events/questions'

/** The name under which such a question is asked. No model can call a tool with a dot in its name. */
export const INPUT_SUBJECT = 'user.input'

/** The id of the one question in it. */
const INPUT_ANSWER = 'answer'

/** The questions of such a request: one, for any text. */
export const inputQuestions = (text: string): readonly Question[] => [
  { id: INPUT_ANSWER, question: text, allow_free_text: true },
]

/** The answers in edited arguments. Clients older than questions edit the argument `answer`. Null: the arguments have no answer. */
export const editedAnswers = (tool: string, { answer }: JsonObject): QuestionAnswers | null =>
  tool === INPUT_SUBJECT && typeof answer === 'string' ? { [INPUT_ANSWER]: answer } : null

/** The text in the arguments of an answered request. In older logs it is an edited argument. */
export const inputText = ({ answers, answer }: JsonObject): Json | undefined =>
  isJsonObject(answers) ? answers[INPUT_ANSWER] : answer
