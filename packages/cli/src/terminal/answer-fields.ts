// A common shape for questions and form fields, each of which is shown, answered and validated separately.
import { answerProblem, type GivenAnswer, type QuestionAnswers } from '@bridle/events/answers'
import { type FieldType, type FormField, formFields } from '@bridle/events/forms'
import { isJsonObject, type Json, type JsonObject, ownProperty, present } from '@bridle/events/json'
import { isQuestionList, type Question, type QuestionRequest } from '@bridle/events/questions'

export interface AnswerOption {
  readonly value: string
  readonly label: string
  readonly description?: string
}

export interface AnswerField {
  readonly name: string
  readonly type: FieldType
  /** Format of a string, such as `date`. */
  readonly format?: string
  /** A short heading, or empty. */
  readonly heading: string
  readonly text: string
  readonly options: readonly AnswerOption[]
  /** Free text is accepted, even next to options. */
  readonly takesText: boolean
  readonly isRequired: boolean
  readonly default?: Json
  /** Why a value is invalid, or null. */
  readonly problemOf: (value: Json) => string | null
}

/** The request of an approval, from untrusted fields. Null for a plain decision. */
export const requestOf = (approval: { readonly [name: string]: unknown }): QuestionRequest | null => {
  const { kind, questions, schema, default: given } = approval
  if (kind !== 'question') return null
  const byDefault = isJsonObject(given) ? { default: given } : {}
  if (isJsonObject(schema)) return { schema, ...byDefault }
  return isQuestionList(questions) && questions.length > 0
    ? { questions, ...(byDefault as { default?: QuestionAnswers }) }
    : null
}

export interface CutApproval {
  readonly id: string
  readonly agent: string
  readonly approvalId: string
  readonly isQuestion: boolean
}

/** Where to find an approval that was too large for the child's notice. Null if nothing relevant is missing. */
export const cutApproval = (approval: { readonly [name: string]: unknown }): CutApproval | null => {
  const { kind, child } = approval
  if (requestOf(approval) !== null || !isJsonObject(child) || child.isCut !== true) return null
  const { id, agent, approvalId } = child
  return { id: String(id), agent: String(agent), approvalId: String(approvalId), isQuestion: kind === 'question' }
}

export const answerFields = (request: QuestionRequest): readonly AnswerField[] =>
  request.schema === undefined
    ? request.questions.map((question) => questionField(question, request.default))
    : formFields(request.schema).map((field) => formField(field, request))

export const givenAnswer = ({ schema }: QuestionRequest, values: JsonObject): GivenAnswer =>
  schema === undefined ? { answers: values as QuestionAnswers } : { values }

const questionField = (question: Question, byDefault: QuestionAnswers = {}): AnswerField => {
  const { id, header = '', question: text, options = [], multi_select: takesSeveral, allow_free_text } = question
  return {
    ...{ name: id, heading: header, text, isRequired: true, takesText: allow_free_text === true },
    type: takesSeveral ? 'choices' : options.length > 0 ? 'choice' : 'text',
    options: options.map((option) => ({ value: option.label, ...option })),
    ...present({ default: ownProperty(byDefault, id) }),
    problemOf: (value) => answerProblem({ questions: [question] }, { answers: { [id]: value } }),
  }
}

const formField = (field: FormField, { schema = {}, default: byDefault = {} }: QuestionRequest): AnswerField => {
  const { name, type, label, description = '', options = [], isRequired } = field
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const alone = { type: 'object', properties: { [name]: ownProperty(properties, name) ?? {} } }
  return {
    ...{ name, type, text: description, options, isRequired, takesText: false },
    // Commands refer to the field by name.
    heading: label === name ? name : `${label} [${name}]`,
    ...present({ format: field.format, default: ownProperty(byDefault, name) ?? field.default }),
    problemOf: (value) => answerProblem({ schema: alone }, { values: { [name]: value } }),
  }
}
