// The questions of a request and the fields of a form have one shape here. Each is shown, answered and checked alone.
import { answerProblem, type GivenAnswer, type QuestionAnswers } from '@bridle/events/answers'
import { type FieldType, type FormField, formFields } from '@bridle/events/forms'
import { isJsonObject, type Json, type JsonObject, ownProperty, present } from '@bridle/events/json'
import { isQuestionList, type Question, type QuestionRequest } from '@bridle/events/questions'

export interface AnswerOption {
  /** The value that is sent. */
  readonly value: string
  readonly label: string
  readonly description?: string
}

/** A question, or a field of a form. */
export interface AnswerField {
  /** The key of its answer. */
  readonly name: string
  readonly type: FieldType
  /** The format of a text, such as `date`. */
  readonly format?: string
  /** A few words above the text; empty: there are none. */
  readonly heading: string
  readonly text: string
  readonly options: readonly AnswerOption[]
  /** The answer may be any text, also beside options. */
  readonly takesText: boolean
  readonly isRequired: boolean
  readonly default?: Json
  /** Why a value does not fit, as a sentence. Null: it fits. */
  readonly problemOf: (value: Json) => string | null
}

/** The request of an approval; null: it asks for a decision alone. The fields come from a server. */
export const requestOf = (approval: { readonly [name: string]: unknown }): QuestionRequest | null => {
  const { kind, questions, schema, default: given } = approval
  if (kind !== 'question') return null
  const byDefault = isJsonObject(given) ? { default: given } : {}
  if (isJsonObject(schema)) return { schema, ...byDefault }
  return isQuestionList(questions) && questions.length > 0
    ? { questions, ...(byDefault as { default?: QuestionAnswers }) }
    : null
}

/** An approval of a child in the session that asks. */
export interface CutApproval {
  readonly id: string
  readonly agent: string
  readonly approvalId: string
  /** False: the approval takes a decision. */
  readonly isQuestion: boolean
}

/** Where to find an approval that was too large for the notice of a child. Null: nothing that a person needs is cut. */
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

/** The values by name, as the request takes them. */
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
    // A command names the field by its name.
    heading: label === name ? name : `${label} [${name}]`,
    ...present({ format: field.format, default: ownProperty(byDefault, name) ?? field.default }),
    problemOf: (value) => answerProblem({ schema: alone }, { values: { [name]: value } }),
  }
}
