import { ENTRIES_MAX } from './form-values.ts'
import { valuesProblem } from './forms.ts'
import { isJsonObject, type JsonObject, ownProperty, present } from './json.ts'
import type { Question, QuestionRequest } from './questions.ts'

/** A label or free text, or a list of them for multiple choice. */
export type QuestionAnswer = string | readonly string[]
/** Answers by question id. */
export type QuestionAnswers = { readonly [questionId: string]: QuestionAnswer }

/** Answers to questions, or the values of a form. */
export interface GivenAnswer {
  /** Answers to questions. */
  readonly answers?: QuestionAnswers
  /** Values of a form. */
  readonly values?: JsonObject
}

/** Truncates the wrong answers quoted in problems. */
const QUOTE_CHARS_MAX = 80

/** Why the answers do not fit, naming the question or field, or null. */
export const answerProblem = (
  request: QuestionRequest,
  given: { readonly answers?: unknown; readonly values?: unknown },
): string | null => {
  const { answers, values } = given
  if (request.schema !== undefined)
    return answers === undefined ? valuesProblem(request.schema, values) : 'A form takes `values`, not `answers`.'
  if (values !== undefined) return 'Questions take `answers`, not `values`.'
  if (!isJsonObject(answers)) return '`answers` must be an object with an answer for each question.'
  const ids = request.questions.map(({ id }) => id)
  const unknown = Object.keys(answers).find((id) => !ids.includes(id))
  if (unknown !== undefined)
    return `There is no question "${quote(unknown)}"; the questions are ${ids.map((id) => `"${id}"`).join(', ')}.`
  for (const question of request.questions) {
    const problem = oneProblem(question, ownProperty(answers, question.id))
    if (problem !== null) return problem
  }
  return null
}

/** For values from a log. */
export const isAnswers = (value: unknown): value is QuestionAnswers =>
  isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string' || isTextList(each))

/** The arguments as the asker receives them, with the answer added. */
export const answeredArguments = (args: JsonObject, { answers, values }: GivenAnswer): JsonObject => ({
  ...args,
  ...present({ answers, values }),
})

const oneProblem = (question: Question, answer: unknown): string | null => {
  const name = `Question "${question.id}"`
  if (answer === undefined) return `${name} has no answer.`
  if (question.multi_select)
    return isTextList(answer) ? listProblem(question, answer) : `${name} takes a list of texts.`
  if (Array.isArray(answer)) return `${name} takes one answer, not a list.`
  return typeof answer === 'string'
    ? choiceProblem(question, answer)
    : `The answer to question "${question.id}" must be a text.`
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

const listProblem = (question: Question, answers: readonly string[]): string | null => {
  if (answers.length > ENTRIES_MAX) return `Question "${question.id}" takes at most ${ENTRIES_MAX} answers.`
  for (const [index, answer] of answers.entries()) {
    const problem = choiceProblem(question, answer)
    if (problem !== null) return problem
    if (answers.indexOf(answer) < index) return `Question "${question.id}" has the answer "${quote(answer)}" twice.`
  }
  return null
}

const choiceProblem = ({ id, options = [], allow_free_text }: Question, answer: string): string | null => {
  if (options.some(({ label }) => label === answer)) return null
  if (answer.trim() === '') return `Question "${id}" has an empty answer.`
  return allow_free_text ? null : `"${quote(answer)}" is not an option of question "${id}".`
}

const quote = (text: string): string =>
  text.length > QUOTE_CHARS_MAX ? `${text.slice(0, QUOTE_CHARS_MAX).toWellFormed()}…` : text
