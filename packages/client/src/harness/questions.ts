import type { GivenAnswer, QuestionAnswers } from '@bridle/events/answers'
import { type FieldOption, type FormField, formFields } from '@bridle/events/forms'
import type { Json } from '@bridle/events/json'
import type { Question, QuestionRequest } from '@bridle/events/questions'
import type { HarnessApproval, HarnessState } from '@bridle/kernel/projections/harness-state'

/** An approval that asks for answers. It has `questions`, or the `schema` of a form. */
export type OpenQuestion = Omit<HarnessApproval, 'kind' | keyof QuestionRequest> & {
  /** The kind of the approval. */
  readonly kind: 'question'
} & QuestionRequest

/** The open questions, oldest first. */
export const openQuestions = ({ approvals = [] }: Pick<HarnessState, 'approvals'>): readonly OpenQuestion[] =>
  approvals.filter((approval) => isOpenQuestion(approval))

/** True if an approval takes answers or values instead of a yes or no. */
export const isOpenQuestion = (approval: HarnessApproval | OpenQuestion): approval is OpenQuestion =>
  approval.kind === 'question' && (approval.questions !== undefined || approval.schema !== undefined)

/** An input of a form: a question, or a field of a schema. */
export interface AnswerInput extends FormField {
  /** The options of a choice. */
  readonly options?: readonly (FieldOption & { readonly description?: string })[]
  /** Free text is allowed too: draw a text input of the same name after the options. */
  readonly allowsText?: boolean
}

/** The inputs to draw, in order. */
export const answerFields = ({ questions, schema }: QuestionRequest): readonly AnswerInput[] =>
  questions === undefined ? formFields(schema) : questions.map(fieldOfQuestion)

const fieldOfQuestion = ({ id, question, options, multi_select, allow_free_text }: Question): AnswerInput => ({
  name: id,
  type: multi_select ? 'choices' : options ? 'choice' : 'text',
  label: question,
  isRequired: true,
  ...(options && { options: options.map((option) => ({ ...option, value: option.label })) }),
  ...(options && allow_free_text && { allowsText: true }),
})

/** The part of `FormData` that an answer is read from. */
export interface FormEntries {
  /** The values of all inputs with this name, in page order. */
  getAll(name: string): unknown[]
}

/**
 * Reads the answer from an HTML form whose inputs are named after `answerFields`. Blank inputs count as absent. If a
 * single choice has several values, the last one wins, because it is the text after the options. Invalid values are sent
 * unchanged, so that the server's refusal names them.
 */
export const readAnswer = (request: QuestionRequest, form: FormEntries): GivenAnswer => {
  const entries = answerFields(request).flatMap((field): [string, Json][] => {
    const value = readField(field, filled(form, field.name))
    return value === undefined ? [] : [[field.name, value]]
  })
  const values = Object.fromEntries(entries)
  return request.questions === undefined ? { values } : { answers: values as QuestionAnswers }
}

const readField = ({ type, isRequired }: AnswerInput, texts: readonly string[]): Json | undefined => {
  const text = texts.at(-1)
  if (type === 'boolean') return text !== undefined && text !== 'false'
  if (type === 'choices') return texts.length > 0 || isRequired ? [...new Set(texts)] : undefined
  if (text === undefined || type === 'text' || type === 'choice') return text
  return type === 'json' ? parsed(text) : Number.isFinite(Number(text)) ? Number(text) : text
}

const filled = (form: FormEntries, name: string): readonly string[] =>
  form.getAll(name).filter((value): value is string => typeof value === 'string' && value.trim() !== '')

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
