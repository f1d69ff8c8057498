// A request for answers: a few questions, or a form. Free of the schema library, so that clients can import it.

import { answerProblem, type QuestionAnswers } from './answers.ts'
import { formProblem } from './forms.ts'
import { isDeeperThan, isJsonObject, type JsonObject, present } from './json.ts'

/** As many as fit on one screen. */
export const QUESTIONS_MAX = 16
/** More options need a search, not a choice. */
export const OPTIONS_MAX = 50
/** Surfaces show labels and headers in full. */
export const LABEL_CHARS_MAX = 200
/** The log, every list and every client hold a copy of the request. */
export const REQUEST_CHARS_MAX = 64_000
/** Forms are flat, and nested values have few levels. */
const REQUEST_DEPTH_MAX = 20

/** An option of a question. Its label is also the answer. */
export type QuestionOption = {
  /** The text of the option. */
  readonly label: string
  /** Help text. */
  readonly description?: string
}

/** A question of a request. */
export type Question = {
  /** The key of its answer, unique in the request. */
  readonly id: string
  /** A few words above the question. */
  readonly header?: string
  /** The text of the question. */
  readonly question: string
  /** The answers to choose from. */
  readonly options?: readonly QuestionOption[]
  /** Whether several options may be chosen. */
  readonly multi_select?: boolean
  /** Whether any text is accepted. */
  readonly allow_free_text?: boolean
}

/** Questions or a form. The default applies when the request expires. */
export type QuestionRequest =
  | { readonly questions: readonly Question[]; readonly schema?: never; readonly default?: QuestionAnswers }
  | { readonly schema: JsonObject; readonly questions?: never; readonly default?: JsonObject }

/** Why a request cannot be asked, in terms a model understands. */
export interface RequestProblem {
  readonly problem: string
}

/** Normalises the request: every question has an id, and every option is an object. */
export const parseQuestions = (asked: unknown): QuestionRequest | RequestProblem => {
  if (!isJsonObject(asked)) return problem('A request for answers is an object with `questions` or `schema`.')
  const { questions, schema, default: byDefault } = asked as { readonly [name: string]: unknown }
  const request = present({ questions, schema, default: byDefault })
  if (isDeeperThan(request, REQUEST_DEPTH_MAX))
    return problem(`The request is nested deeper than ${REQUEST_DEPTH_MAX} levels, or contains itself.`)
  const chars = jsonChars(request)
  if (chars === null) return problem('The request is not JSON.')
  if (chars > REQUEST_CHARS_MAX)
    return problem(`The request has ${chars} characters as JSON; at most ${REQUEST_CHARS_MAX} are allowed.`)
  if ((questions === undefined) === (schema === undefined))
    return problem('A request for answers has either `questions` or `schema`.')
  const parsed = schema === undefined ? parseList(questions) : parseForm(schema)
  if ('problem' in parsed || byDefault === undefined) return parsed
  const given = schema === undefined ? { answers: byDefault } : { values: byDefault }
  const unfit = answerProblem(parsed, given)
  return unfit === null
    ? ({ ...parsed, default: byDefault } as QuestionRequest)
    : problem(`The default does not fit. ${unfit}`)
}

/** For values from a log, to which limits do not apply. */
export const isQuestionList = (value: unknown): value is readonly Question[] =>
  Array.isArray(value) &&
  value.every(
    (each) =>
      isJsonObject(each) &&
      typeof each.id === 'string' &&
      typeof each.question === 'string' &&
      isTextOrAbsent(each.header) &&
      isFlagOrAbsent(each.multi_select) &&
      isFlagOrAbsent(each.allow_free_text) &&
      (each.options === undefined || (Array.isArray(each.options) && each.options.every(isOption))),
  )

const isOption = (value: unknown): boolean =>
  isJsonObject(value) && typeof value.label === 'string' && isTextOrAbsent(value.description)
const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'string'
const isFlagOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'boolean'

const problem = (text: string): RequestProblem => ({ problem: text })

const jsonChars = (value: unknown): number | null => {
  try {
    return JSON.stringify(value)?.length ?? null
  } catch {
    return null
  }
}

const parseForm = (schema: unknown): QuestionRequest | RequestProblem => {
  const unfit = formProblem(schema)
  return unfit === null ? { schema: schema as JsonObject } : problem(unfit)
}

const parseList = (list: unknown): QuestionRequest | RequestProblem => {
  if (!Array.isArray(list) || list.length === 0) return problem('`questions` is a list with at least one question.')
  if (list.length > QUESTIONS_MAX)
    return problem(`The request has ${list.length} questions; at most ${QUESTIONS_MAX} are allowed.`)
  const questions: Question[] = []
  for (const [index, each] of list.entries()) {
    const parsed = parseQuestion(each, index)
    if (typeof parsed === 'string') return problem(parsed)
    if (questions.some(({ id }) => id === parsed.id)) return problem(`Two questions have the id "${parsed.id}".`)
    questions.push(parsed)
  }
  return { questions }
}

const parseQuestion = (asked: unknown, index: number): Question | string => {
  const place = `Question ${index + 1}`
  if (!isJsonObject(asked)) return `${place} is not an object with a \`question\`.`
  const { id = `q${index + 1}`, header, question, options, multi_select, allow_free_text } = asked
  if (typeof id !== 'string' || !ID.test(id))
    return `The id of ${place.toLowerCase()} must be 1 to 64 letters, digits and . _ : -, and begin with a letter or a digit.`
  if (typeof question !== 'string' || question.trim() === '') return `${place} has no text in \`question\`.`
  if (!isTextOrAbsent(header) || (typeof header === 'string' && header.length > LABEL_CHARS_MAX))
    return `The header of ${place.toLowerCase()} must be a text of at most ${LABEL_CHARS_MAX} characters.`
  if (!isFlagOrAbsent(multi_select)) return `\`multi_select\` of ${place.toLowerCase()} must be true or false.`
  if (!isFlagOrAbsent(allow_free_text)) return `\`allow_free_text\` of ${place.toLowerCase()} must be true or false.`
  const parsed = parseOptions(options, place)
  if (typeof parsed === 'string') return parsed
  if (parsed.length === 0 && !allow_free_text)
    return `${place} has no options and takes no free text, so that nobody could answer it.`
  return {
    id,
    ...(header && { header: header as string }),
    question,
    ...(parsed.length > 0 && { options: parsed }),
    ...(multi_select && { multi_select: true }),
    ...(allow_free_text && { allow_free_text: true }),
  }
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

const parseOptions = (options: unknown, place: string): readonly QuestionOption[] | string => {
  if (options === undefined || options === null) return []
  if (!Array.isArray(options)) return `\`options\` of ${place.toLowerCase()} must be a list.`
  if (options.length > OPTIONS_MAX) return `${place} has ${options.length} options; at most ${OPTIONS_MAX} are allowed.`
  const labels = new Set<string>()
  const parsed: QuestionOption[] = []
  for (const [index, each] of options.entries()) {
    const option = typeof each === 'string' ? { label: each } : each
    const name = `Option ${index + 1} of ${place.toLowerCase()}`
    if (!isOption(option)) return `${name} must be a text, or an object with a \`label\`.`
    const { label, description } = option as QuestionOption
    if (label.trim() === '') return `${name} has an empty label.`
    if (label.length > LABEL_CHARS_MAX)
      return `The label of ${name.toLowerCase()} has ${label.length} characters; at most ${LABEL_CHARS_MAX} are allowed.`
    if (labels.has(label)) return `${place} has the option "${label}" twice.`
    labels.add(label)
    parsed.push({ label, ...(description && { description }) })
  }
  return parsed
}
