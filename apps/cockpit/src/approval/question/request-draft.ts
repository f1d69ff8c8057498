// The unsent answers, values and note on the card of a question.
import type { GivenAnswer, Question } from 'bridle/client'
import type { CardApproval, JsonRecord } from '../card-approval.ts'
import { type FormDraft, formAnswer, initialForm } from './form-draft.ts'
import { type AnswerState, answersOf, initialQuestion, type QuestionDraft } from './question-draft.ts'

/** Questions or a form; the default applies when they expire. */
export type AskedRequest =
  | { readonly questions: readonly Question[]; readonly schema?: never; readonly default?: JsonRecord }
  | { readonly schema: JsonRecord; readonly questions?: never; readonly default?: JsonRecord }

export interface RequestDraft {
  /** In the order of the questions. */
  readonly questions: readonly QuestionDraft[]
  readonly form: FormDraft
  /** Null = the field for it is not shown. */
  readonly note: string | null
}

/** Null = the list had no room for what is asked. */
export const requestOf = ({ questions, schema, default: byDefault }: CardApproval): AskedRequest | null => {
  const more = byDefault && { default: byDefault }
  if (schema) return { schema, ...more }
  return questions ? { questions, ...more } : null
}

export const initialRequest = ({ questions = [], schema, default: byDefault }: AskedRequest): RequestDraft => ({
  questions: questions.map((question) =>
    initialQuestion(question, byDefault && Object.hasOwn(byDefault, question.id) ? byDefault[question.id] : undefined),
  ),
  form: schema ? initialForm(schema, byDefault) : { fields: new Map(), json: null },
  note: null,
})

export const requestAnswer = (
  { questions = [], schema }: AskedRequest,
  draft: RequestDraft,
): AnswerState<GivenAnswer> => {
  if (schema) {
    const { given, ...rest } = formAnswer(schema, draft.form)
    return { given: given && { values: given }, ...rest }
  }
  const { given, ...rest } = answersOf(questions, draft.questions)
  return { given: given && { answers: given }, ...rest }
}

/** The draft as a text to copy. Empty = there is none. */
export const draftText = (request: AskedRequest, draft: RequestDraft): string => {
  if (draft.form.json !== null) return draft.form.json
  const { given } = requestAnswer(request, draft)
  if (given) return JSON.stringify(given.answers ?? given.values, null, 2)
  const texts = draft.questions.map(({ text }) => text)
  const fields = [...draft.form.fields].map(([name, value]) => `${name}: ${String(value)}`)
  return [...texts, ...fields].filter((text) => text.trim() !== '').join('\n')
}
